/** Fetches the tools that a message needs, over `GET /tools` or over MCP. */

const FIVE_MINUTES = 5 * 60 * 1000;
/** Answers that are kept. The oldest is dropped first. */
const KEPT = 256;
/** `describe_tools` takes this many names at once. */
const DESCRIBED = 50;

/** A server that refused a request, or gave an answer of another shape. */
export class ToolClientError extends Error {
  name = "ToolClientError";
}

export class DynamicToolClient {
  #source;
  #ttl;
  #answers = new Map();
  #usage = { since: new Date(), requests: 0, hits: 0, originalCount: 0, returnedCount: 0 };

  /** `source` is the address of a server, or a connected client of the official SDK. */
  constructor(source, { token, userId, ttl = FIVE_MINUTES, fetch = globalThis.fetch } = {}) {
    const isAddress = typeof source === "string" || source instanceof URL;
    if (!isAddress && typeof source?.callTool !== "function") {
      throw new TypeError("expected the address of a server, or an MCP client that is connected");
    }
    this.#source = isAddress ? new HttpSource(source, { token, userId, fetch }) : new McpSource(source);
    this.#ttl = ttl;
  }

  /** The tools of contexts, of a category, or for a query. Without criteria, none. */
  async getTools(criteria = {}) {
    return (await this.select(criteria)).tools;
  }

  /** The tools that a message needs; none if it belongs to no context. */
  async getToolsFromMessage(message, previous) {
    return (await this.select({ context: message, previous })).tools;
  }

  /** The names of the contexts of a message. */
  async extractContextFromMessage(message) {
    return (await this.select({ context: message })).contexts.map((context) => context.name);
  }

  /** The tools, their contexts and the counts. */
  async select(criteria) {
    const key = JSON.stringify(["context", "category", "query", "previous"].map((name) => criteria[name] ?? null));
    const known = this.#answers.get(key);
    const isKnown = known !== undefined && known.until > Date.now();
    const entry = isKnown ? known : this.#ask(key, criteria);
    const answer = await entry.answer;
    this.#usage.requests += 1;
    this.#usage.hits += isKnown ? 1 : 0;
    this.#usage.originalCount += answer.originalCount;
    this.#usage.returnedCount += answer.returnedCount;
    return structuredClone(answer);
  }

  /** How many tools were fetched, compared with all tools for each request. */
  get usage() {
    const { since, requests, hits, originalCount, returnedCount } = this.#usage;
    const left = originalCount === 0 ? 0 : 1 - returnedCount / originalCount;
    return { since, requests, hits, originalCount, returnedCount, reductionPercent: Math.round(100 * left) };
  }

  /** Forgets all answers. */
  clearCache() {
    this.#answers.clear();
  }

  /** Asks the server. Requests for the same tools share one answer; a failure is not kept. */
  #ask(key, criteria) {
    const entry = { until: Date.now() + this.#ttl, answer: this.#source.select(criteria) };
    this.#answers.delete(key);
    this.#answers.set(key, entry);
    if (this.#answers.size > KEPT) {
      this.#answers.delete(this.#answers.keys().next().value);
    }
    entry.answer.catch(() => {
      if (this.#answers.get(key) === entry) this.#answers.delete(key);
    });
    return entry;
  }
}

/** The names of the contexts of a message, as the server detects them. */
export async function extractContextFromMessage(message, client) {
  const asked = client instanceof DynamicToolClient ? client : new DynamicToolClient(client);
  return asked.extractContextFromMessage(message);
}

/** `GET /tools`. */
class HttpSource {
  #address;
  #headers;
  #userId;
  #fetch;

  constructor(address, { token, userId, fetch }) {
    // An address with or without a final slash is the same server.
    this.#address = new URL("tools", String(address).replace(/\/*$/, "/"));
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    this.#userId = userId;
    this.#fetch = fetch;
  }

  async select(criteria) {
    const url = new URL(this.#address);
    for (const name of ["context", "category", "query"]) {
      if (criteria[name] !== undefined) url.searchParams.set(name, criteria[name]);
    }
    const previous = Object.entries(criteria.previous ?? {}).map((pair) => pair.join(":"));
    if (previous.length > 0) url.searchParams.set("previous", previous.join(","));
    if (this.#userId !== undefined) url.searchParams.set("userId", this.#userId);
    const response = await this.#fetch(url, { headers: { accept: "application/json", ...this.#headers } });
    const answer = await response.json().catch(() => undefined);
    if (!response.ok) {
      const why = answer?.error?.message ?? response.statusText;
      throw new ToolClientError(`${url.origin} answered ${response.status}: ${why}`);
    }
    if (!Array.isArray(answer?.tools) || typeof answer.metadata !== "object") {
      throw new ToolClientError(`${this.#address} gave no list of tools; expected a server with GET /tools`);
    }
    const { contexts, originalCount, returnedCount, reason } = answer.metadata;
    return { tools: answer.tools, contexts: contexts ?? [], originalCount, returnedCount, reason };
  }
}

/** The tools `context`, `search_tools` and `describe_tools` of the surface `meta`. */
class McpSource {
  #client;
  #names;

  constructor(client) {
    this.#client = client;
  }

  async select({ context, category, query, previous }) {
    const detected =
      context === undefined && previous === undefined
        ? undefined
        : await this.#call("context", { message: context ?? "", previous: previous ?? {} });
    const found =
      category === undefined && query === undefined
        ? undefined
        : await this.#call("search_tools", { category, query });
    let lines = (detected?.tools ?? found?.results ?? []).map(id);
    if (detected !== undefined && found !== undefined) {
      lines = found.results.map(id).filter((one) => lines.includes(one));
    }
    const tools = await this.#describe(lines);
    const originalCount = detected?.originalCount ?? found?.total ?? 0;
    const reason = (detected ?? found ?? { reason: "no_context_detected" }).reason;
    return { tools, contexts: detected?.contexts ?? [], originalCount, returnedCount: tools.length, reason };
  }

  async #describe(ids) {
    const tools = [];
    for (let at = 0; at < ids.length; at += DESCRIBED) {
      const described = await this.#call("describe_tools", { tools: ids.slice(at, at + DESCRIBED) });
      for (const { id: name, summary, description, parameters, tool } of described.tools) {
        tools.push({
          name,
          description: [summary, description].filter(Boolean).join(" "),
          inputSchema: parameters,
          call: tool,
        });
      }
    }
    return tools;
  }

  async #call(name, args) {
    const tool = (await this.#listed())(name);
    const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
    const result = await this.#client.callTool({ name: tool, arguments: given });
    const text = result.content?.find((part) => part.type === "text")?.text;
    if (result.isError) {
      throw new ToolClientError(`${tool} failed: ${text}`);
    }
    try {
      return JSON.parse(text);
    } catch {
      throw new ToolClientError(`${tool} gave no JSON; expected the surface meta of Toolwrit`);
    }
  }

  /** Finds the server's name of a tool, which may have a prefix: `wpnav_context`. */
  async #listed() {
    this.#names ??= this.#client.listTools().then(({ tools }) => tools.map((tool) => tool.name));
    const names = await this.#names.catch((error) => {
      this.#names = undefined;
      throw error;
    });
    const meta = names.find((name) => name === "describe_tools" || name.endsWith("_describe_tools"));
    if (meta === undefined) {
      throw new ToolClientError("the server lists no tool `describe_tools`; serve it with --surface meta");
    }
    return (name) => meta.slice(0, -"describe_tools".length) + name;
  }
}

/** `vault.read(path: NotePath) -> ..` is `vault.read`. */
function id(line) {
  return line.split("(", 1)[0];
}
