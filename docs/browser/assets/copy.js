// @ts-check
// A call in the forms in which other programs make it. None of them contains the user's token.

import { token } from './api.js';

/**
 * @param {import('./session.js').Operation} operation
 * @param {Record<string, unknown>} args
 * @param {string | null} command what calls operations on a command line; null if this user has none
 * @returns {{ name: string, text: string }[]}
 */
export function forms(operation, args, command) {
    const params = { name: operation.tool, arguments: { ...operation.fixed, ...args } };
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const address = new URL('../mcp/flat', document.baseURI).href;
    const credential = token() ? ' \\\n  -H "authorization: Bearer $TOOLWRIT_TOKEN"' : '';
    const curl = `curl ${quoted(address)} \\\n  -H 'content-type: application/json' \\\n`
        + `  -H 'accept: application/json, text/event-stream'${credential} \\\n  -d ${quoted(JSON.stringify(request))}`;
    const given = Object.keys(args).length > 0 ? ` --args ${quoted(JSON.stringify(args))}` : '';
    return [
        { name: 'MCP call', text: JSON.stringify(params, null, 2) },
        ...(command ? [{ name: 'command', text: `${command} ${operation.id}${given}` }] : []),
        { name: 'curl', text: curl },
        { name: 'Markdown', text: `\`${operation.id}\`\n\n\`\`\`json\n${JSON.stringify(params, null, 2)}\n\`\`\`\n` },
    ];
}

/**
 * A word of a shell command.
 * @param {string} word
 */
function quoted(word) {
    return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
