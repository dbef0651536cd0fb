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
        ...('tool' in (operation.schema.properties ?? {}) ? [] : [{ name: 'block', text: block(operation.id, args) }]),
        { name: 'Markdown', text: `\`${operation.id}\`\n\n\`\`\`json\n${JSON.stringify(params, null, 2)}\n\`\`\`\n` },
    ];
}

/**
 * A block of a note, which the command `run` calls. JSON on one line is YAML, too.
 * @param {string} id
 * @param {Record<string, unknown>} args
 */
function block(id, args) {
    const fields = Object.entries(args).map(([name, value]) => `${isWord(name) ? name : escaped(name)}: ${escaped(value)}\n`);
    const body = `tool: ${id}\n${fields.join('')}`;
    const longest = Math.max(2, ...(body.match(/`+/g) ?? []).map(run => run.length));
    const fence = '`'.repeat(longest + 1);
    return `${fence}toolwrit\n${body}${fence}\n`;
}

/**
 * Whether YAML reads a word as a text.
 * @param {string} word
 */
function isWord(word) {
    return /^[a-z]\w*$/i.test(word) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(word);
}

/**
 * JSON without what readers do not see, and without what a plugin for templates runs.
 * @param {unknown} value
 */
function escaped(value) {
    return JSON.stringify(value).replace(/[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]|<(?=%)/g,
        c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * A word of a shell command.
 * @param {string} word
 */
function quoted(word) {
    return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
