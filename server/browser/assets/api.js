// @ts-check
// Requests to the server. Each has the user's access token, and the focus mode and role that the user has chosen.

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
 * @param {{ method?: string, body?: unknown, signal?: AbortSignal, wide?: boolean }} [options] `wide` leaves out what
 *     narrows the request
 * @returns {Promise<any>}
 */
export async function request(path, { method = 'GET', body, signal, wide = false } = {}) {
    /** @type {Record<string, string>} */
    const headers = { accept: 'application/json, text/event-stream' };
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
        return text ? JSON.parse(text) : null;
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
 * @property {unknown} value
 * @property {Fault | null} fault
 * @property {any[]} content the blocks of the answer
 * @property {number} bytes
 */

let calls = 0;

/**
 * Calls a tool of the flat surface.
 * @param {{ tool: string, fixed: Record<string, unknown> }} operation
 * @param {Record<string, unknown>} args
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer>}
 */
export async function call(operation, args, signal) {
    calls += 1;
    const params = { name: operation.tool, arguments: { ...operation.fixed, ...args } };
    const body = { jsonrpc: '2.0', id: calls, method: 'tools/call', params };
    const answer = await request('mcp/flat', { method: 'POST', body, ...(signal ? { signal } : {}) });
    if (answer.error) {
        throw new Refused(200, String(answer.error.message));
    }
    const content = answer.result.content ?? [];
    const value = answer.result.structuredContent ?? valueOf(content);
    const bytes = new TextEncoder().encode(JSON.stringify(value) ?? '').length;
    const fault = answer.result.isError ? /** @type {any} */ (value)?.error : null;
    return { value, fault: fault ?? null, content, bytes };
}

/**
 * The value of an answer without structured content: JSON if its text is that.
 * @param {any[]} content
 */
function valueOf(content) {
    const texts = content.filter(block => block.type === 'text').map(block => block.text);
    const text = texts.join('\n');
    try {
        return JSON.parse(text);
    } catch {
        return text;
    }
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
