-- Drives the language server with Neovim's own client. The variables of the environment name the program, its vault and the
-- note; the result is printed as one line of JSON.
local function env(name)
  local value = assert(os.getenv(name), name)
  return value
end

local TIMEOUT = 120000
local result = {}

local function drive()
  vim.cmd('edit ' .. vim.fn.fnameescape(env('NOTE')))
  local client = assert(vim.lsp.start_client({
    name = 'toolwrit',
    cmd = { env('TOOLWRIT'), 'lsp', '--vault', env('VAULT') },
    root_dir = env('VAULT'),
  }))
  local ready = function() return vim.lsp.get_client_by_id(client) ~= nil end
  assert(vim.wait(TIMEOUT, ready, 20), 'the server does not start')
  vim.lsp.buf_attach_client(0, client)
  local diagnosed = function() return #vim.diagnostic.get(0) > 0 end
  assert(vim.wait(TIMEOUT, diagnosed, 20), 'no diagnostics')
  result.diagnostics = vim.tbl_map(function(found)
    return { line = found.lnum, message = found.message }
  end, vim.diagnostic.get(0))

  local function ask(method, line, character)
    vim.api.nvim_win_set_cursor(0, { line + 1, character })
    local params = vim.lsp.util.make_position_params(0, 'utf-16')
    local answers = assert(vim.lsp.buf_request_sync(0, method, params, TIMEOUT), 'no answer')
    return answers[client].result
  end
  local items = ask('textDocument/completion', tonumber(env('LINE')), tonumber(env('COLUMN'))).items
  result.completion = vim.tbl_map(function(item) return item.label end, items)
  result.hover = ask('textDocument/hover', tonumber(env('LINE')), tonumber(env('COLUMN')) - 1).contents.value
  vim.lsp.stop_client(client)
end

local ok, why = pcall(drive)
if not ok then result = { failed = tostring(why) } end
io.stdout:write(vim.fn.json_encode(result) .. '\n')
vim.cmd('qall!')
