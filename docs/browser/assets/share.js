// @ts-check
// Addresses of the views. They are in the fragment, which browsers do not send to servers.

/** @typedef {{ view: string, id: string, args: string | null, run: number }} Place `args` is JSON, if nobody has cut it */

/**
 * The place that a fragment names: `#/op/vault.read?args={..}`.
 * @param {string} fragment
 * @returns {Place}
 */
export function placeOf(fragment) {
    const [path = '', query = ''] = split(fragment.replace(/^#\/?/, ''));
    const [view = '', ...rest] = path.split('/');
    const values = new URLSearchParams(query);
    let id = rest.join('/');
    try {
        id = decodeURIComponent(id);
    } catch {
        // It is taken as it stands, and names no operation.
    }
    return { view: view || 'op', id, args: values.get('args'), run: Number(values.get('run')) };
}

/** @param {string} text */
function split(text) {
    const at = text.indexOf('?');
    return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/**
 * The fragment of an operation, with arguments if there are any.
 * @param {string} id
 * @param {Record<string, unknown>} [args]
 */
export function fragmentOf(id, args) {
    const query = args && Object.keys(args).length > 0
        ? `?${new URLSearchParams({ args: JSON.stringify(args) })}`
        : '';
    return `#/op/${encodeURIComponent(id)}${query}`;
}

/**
 * The fragment of a call that this page has made. Its arguments stay out of the address.
 * @param {import('./session.js').Run} run
 */
export function fragmentOfRun({ operation, id }) {
    return `${fragmentOf(operation.id)}?run=${id}`;
}

/**
 * The token or the code with which `browse` opens the page. It is taken out of the address.
 * @returns {{ kind: 'token' | 'code', value: string } | null}
 */
export function launched() {
    const [, kind, value] = /^#(token|code)=([\w-]+)$/.exec(location.hash) ?? [];
    if (!value) {
        return null;
    }
    history.replaceState(null, '', '#/');
    return { kind: kind === 'code' ? 'code' : 'token', value };
}
