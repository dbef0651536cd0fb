// @ts-check
// Signs in at the authorization server of this server: OAuth 2.1 with an authorization code and PKCE, as a public client.
// What the user granted comes back to the address `callback`.

import { ROOT, Refused } from './api.js';

/** What is kept in the tab while the user is at the authorization server. */
const PENDING = 'toolwrit-sign-in';
const CALLBACK = new URL('browser/callback', ROOT).href;

/** @typedef {{ issuer: string, client: string | null }} Offer */

/**
 * @typedef {object} Pending
 * @property {string} state
 * @property {string} verifier
 * @property {string} client
 * @property {string} issuer
 * @property {string} tokens the address that gives tokens
 * @property {string} resource
 * @property {boolean} named whether the authorization server says its name when it sends the user back
 * @property {string} place the fragment of the page
 */

/**
 * Sends the user to the authorization server.
 * @param {Offer} offer
 */
export async function begin(offer) {
    if (!globalThis.crypto?.subtle) {
        throw new Refused(0, 'This page can sign in only at an address with https, or on this machine.', 'Sign in with a token.');
    }
    const resource = await fetched(new URL('.well-known/oauth-protected-resource', ROOT).href);
    const server = await metadata(offer.issuer);
    if (!(server.code_challenge_methods_supported ?? []).includes('S256')) {
        throw new Refused(0, `${offer.issuer} does not offer PKCE, which this page needs.`, 'Sign in with a token.');
    }
    const scope = (resource.scopes_supported ?? []).join(' ');
    const client = offer.client ?? await register(server, scope, offer.issuer);
    /** @type {Pending} */
    const pending = {
        state: random(),
        verifier: random(),
        client,
        issuer: offer.issuer,
        tokens: server.token_endpoint,
        resource: resource.resource,
        named: server.authorization_response_iss_parameter_supported === true,
        place: location.hash,
    };
    sessionStorage.setItem(PENDING, JSON.stringify(pending));
    const address = reachable(server.authorization_endpoint, offer.issuer);
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier));
    const asked = {
        response_type: 'code',
        client_id: client,
        redirect_uri: CALLBACK,
        scope,
        state: pending.state,
        code_challenge: base64(new Uint8Array(digest)),
        code_challenge_method: 'S256',
        resource: pending.resource,
    };
    for (const [name, value] of Object.entries(asked)) {
        address.searchParams.set(name, value);
    }
    location.assign(address.href);
}

/** Whether the authorization server has sent the user back. */
export function isBack() {
    return location.href.startsWith(`${CALLBACK}?`) || location.href.startsWith(`${CALLBACK}#`);
}

/**
 * Takes the token for what the user has granted. The address of the page is then the one before the sign-in.
 * @returns {Promise<string>}
 */
export async function end() {
    const answer = new URLSearchParams(location.search);
    const kept = sessionStorage.getItem(PENDING);
    sessionStorage.removeItem(PENDING);
    /** @type {Pending | null} */
    const pending = kept ? JSON.parse(kept) : null;
    history.replaceState(null, '', new URL(`browser/${pending?.place ?? ''}`, ROOT));
    if (!pending || answer.get('state') !== pending.state) {
        throw new Refused(0, 'This answer does not belong to a sign-in of this tab, so it was not used.', 'Sign in again.');
    }
    const from = answer.get('iss');
    if (from === null ? pending.named : from !== pending.issuer) {
        throw new Refused(0, `This answer is not from ${pending.issuer}, so it was not used.`, 'Sign in again.');
    }
    const code = answer.get('code');
    if (!code) {
        throw denied(pending.issuer, answer.get('error'), answer.get('error_description'));
    }
    const body = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        client_id: pending.client,
        code_verifier: pending.verifier,
        resource: pending.resource,
    });
    const given = await fetched(reachable(pending.tokens, pending.issuer).href, { method: 'POST', body });
    if (typeof given.access_token !== 'string' || given.token_type?.toLowerCase() !== 'bearer') {
        throw denied(pending.issuer, given.error, given.error_description);
    }
    return given.access_token;
}

/**
 * What an authorization server says about itself, at the addresses of RFC 8414 and OpenID Connect.
 * @param {string} issuer
 */
async function metadata(issuer) {
    const { origin, pathname } = new URL(issuer);
    const path = pathname.replace(/\/$/, '');
    const places = [
        `${origin}/.well-known/oauth-authorization-server${path}`,
        `${origin}/.well-known/openid-configuration${path}`,
        `${origin}${path}/.well-known/openid-configuration`,
    ];
    for (const place of places) {
        const found = await fetched(place).catch(error => {
            if (error instanceof Refused && error.status !== 0) {
                return null;
            }
            throw error;
        });
        if (found?.issuer === issuer) {
            return found;
        }
    }
    throw new Refused(0, `${issuer} does not say how users sign in.`, 'Sign in with a token.');
}

/**
 * Registers this page as a client, if the authorization server allows that.
 * @param {any} server
 * @param {string} scope
 * @param {string} issuer
 * @returns {Promise<string>}
 */
async function register(server, scope, issuer) {
    if (!server.registration_endpoint) {
        throw new Refused(0, `${issuer} does not know this page.`, `The operator registers it there as a public client with the redirect URI ${CALLBACK}, and names its id with --oauth-client.`);
    }
    const client = {
        client_name: 'Tool browser',
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        scope,
    };
    const given = await fetched(reachable(server.registration_endpoint, issuer).href, {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(client),
    });
    if (typeof given.client_id !== 'string') {
        throw denied(issuer, given.error, given.error_description);
    }
    return given.client_id;
}

/**
 * The JSON at an address. No credential of this server is sent.
 * @param {string} address
 * @param {RequestInit} [options]
 */
async function fetched(address, options = {}) {
    let answer;
    try {
        answer = await fetch(address, { ...options, cache: 'no-store', credentials: 'omit', redirect: 'error' });
    } catch {
        const { origin } = new URL(address);
        throw new Refused(0, `${origin} cannot be reached from this page.`, `If it runs, its operator must allow requests of pages from ${ROOT.origin}.`);
    }
    const value = await answer.json().catch(() => ({}));
    if (!answer.ok && !value.error) {
        throw new Refused(answer.status, `${address} answered with the status ${answer.status}.`);
    }
    return value;
}

/**
 * An address that an authorization server has named. No script is one.
 * @param {string} text
 * @param {string} issuer
 */
function reachable(text, issuer) {
    const address = URL.canParse(text) ? new URL(text) : null;
    if (address?.protocol !== 'https:' && address?.protocol !== new URL(issuer).protocol) {
        throw new Refused(0, `${issuer} names an address that cannot be used: ${text}`, 'Sign in with a token.');
    }
    return address;
}

/**
 * @param {string} issuer
 * @param {string | null | undefined} code
 * @param {string | null | undefined} words
 */
function denied(issuer, code, words) {
    const why = words || code || 'it gave no token';
    return new Refused(0, code === 'access_denied' ? `You have not allowed it at ${issuer}.` : `${issuer} refused: ${why}.`, 'Sign in again.');
}

function random() {
    return base64(crypto.getRandomValues(new Uint8Array(32)));
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
    return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
