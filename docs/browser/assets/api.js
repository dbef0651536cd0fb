// @ts-check
// Requests to the server. Each has the user's access token, and the focus mode and role that the user has chosen.

import { exact, indented } from './json.js';
import { session } from './session.js';

/** Where the token is kept: as long as the tab is open. */
const TOKEN = 'toolwrit-token';
/** The address of the server. The page is one level below. */
export const ROOT = new URL('..', document.baseURI);

/** A request that the server refused. */
export class Refused extends Error {
    /**
     * @param {number} status 0 without an answer
     * @param {string} message
     * @param {string} [hint]
     */
    constructor(status, message, hint) {
        super(message);
        this.status = status;
        this.hint = hint;
    }
}

/** The access token of the user, if there is one. */
export function token() {
    return sessionStorage.getItem(TOKEN);
}

/**
 * Keeps an access token, or forgets it.
 * @param {string | null} value
 */
export function keepToken(value) {
    if (value === null) {
        sessionStorage.removeItem(TOKEN);
    } else {
        sessionStorage.setItem(TOKEN, value);
    }
}

/**
 * Sends a request, and returns the JSON of its answer; null if it has none.
 * @param {string} path
 * @param {{ method?: string, body?: unknown, signal?: AbortSignal, wide?: boolean, more?: Record<string, string> }} [options]
 *     `wide` leaves out what narrows the request; `more` are headers
 * @returns {Promise<any>}
 */
export async function request(path, { method = 'GET', body, signal, wide = false, more = {} } = {}) {
    /** @type {Record<string, string>} */
    const headers = { accept: 'application/json, text/event-stream', ...more };
    const own = token();
    if (own) {
        headers.authorization = `Bearer ${own}`;
    }
    if (session.focus && !wide) {
        headers['toolwrit-focus'] = session.focus;
    }
    if (session.role && !wide) {
        headers['toolwrit-role'] = session.role;
    }
    if (body !== undefined) {
        headers['content-type'] = 'application/json';
    }
    let answer;
    try {
        answer = await fetch(new URL(path, ROOT), {
            method,
            headers,
            body: body === undefined ? null : JSON.stringify(body),
            signal: signal ?? null,
            cache: 'no-store',
            credentials: 'same-origin',
        });
    } catch (error) {
        if (signal?.aborted) {
            throw error;
        }
        throw new Refused(0, 'The server cannot be reached.', 'Start it again, or check the connection.');
    }
    const text = await answer.text();
    if (answer.ok) {
        return text ? exact(text) : null;
    }
    const error = refused(answer.status, text);
    if (answer.status === 401) {
        keepToken(null);
        document.dispatchEvent(new CustomEvent('signed-out', { detail: error.message }));
    }
    throw error;
}

/**
 * @param {number} status
 * @param {string} text
 */
function refused(status, text) {
    try {
        const { message, hint } = JSON.parse(text).error;
        return new Refused(status, String(message), hint);
    } catch {
        return new Refused(status, `The server answered with the status ${status}.`);
    }
}

/**
 * @typedef {object} Fault
 * @property {string} code
 * @property {string} message
 * @property {string} [path] JSON pointer of the wrong argument
 * @property {string} [expected]
 * @property {unknown} [got]
 * @property {string} [hint]
 * @property {string[]} [did_you_mean]
 */

/**
 * @typedef {object} Answer
 * @property {unknown} value numbers that a script would round are strings
 * @property {string} raw the same as text, with these numbers
 * @property {Fault | null} fault
 * @property {any[]} content the blocks of the answer
 * @property {number} bytes
 */

/** The revision of MCP in which the server cancels a call whose client leaves. */
const REVISION = '2026-07-28';
/** What the revision requires of each call. */
const CLIENT = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'tool-browser', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
};

let calls = 0;

/**
 * Calls a tool of the flat surface. The signal cancels the call.
 * @param {{ tool: string, fixed: Record<string, unknown> }} operation
 * @param {Record<string, unknown>} args
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer>}
 */
export async function call(operation, args, signal) {
    calls += 1;
    const params = { name: operation.tool, arguments: { ...operation.fixed, ...args }, _meta: CLIENT };
    const body = { jsonrpc: '2.0', id: calls, method: 'tools/call', params };
    const more = { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': operation.tool };
    const answer = await request('mcp/flat', { method: 'POST', body, more, ...(signal ? { signal } : {}) });
    if (answer.error) {
        throw new Refused(200, String(answer.error.message));
    }
    const content = answer.result.content ?? [];
    const texts = content.filter((/** @type {any} */ block) => block.type === 'text');
    const text = texts.map((/** @type {any} */ block) => block.text).join('\n');
    const bytes = new TextEncoder().encode(text).length;
    const { value, raw } = valueOf(answer.result.structuredContent, text);
    const fault = answer.result.isError ? /** @type {any} */ (value)?.error : null;
    return { value, raw, fault: fault ?? null, content, bytes };
}

/**
 * The value of an answer. Its text is the same as JSON, but servers of others may say something else there.
 * @param {unknown} structured
 * @param {string} text
 * @returns {{ value: unknown, raw: string }}
 */
function valueOf(structured, text) {
    try {
        const value = exact(text);
        if (structured === undefined || JSON.stringify(structured) === JSON.stringify(value)) {
            return { value, raw: indented(text) };
        }
    } catch {
        // It is no JSON.
    }
    return structured === undefined
        ? { value: text, raw: text }
        : { value: structured, raw: JSON.stringify(structured, null, 2) };
}

/**
 * Whether a call would reach its handler: null, or why it would not.
 * @param {{ tool: string, fixed: Record<string, unknown> }} operation
 * @param {Record<string, unknown>} args
 * @returns {Promise<Fault | null>}
 */
export async function check(operation, args) {
    const body = { name: operation.tool, arguments: { ...operation.fixed, ...args } };
    const answer = await request('browser/check', { method: 'POST', body });
    return answer.error ?? null;
}
