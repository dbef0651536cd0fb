// @ts-check
// Asks for an access token, or sends the user to the authorization server for one.

import { Refused, keepToken } from './api.js';
import { h, newId } from './dom.js';
import { begin } from './oauth.js';

/**
 * @param {{ oauth: import('./oauth.js').Offer | null, browse: boolean }} offer
 * @param {() => Promise<void>} enter
 */
export function signInView(offer, enter) {
    const id = newId('token');
    const hint = newId('hint');
    const message = h('p', { class: 'fault', role: 'alert' });
    const input = h('input', { id, type: 'password', autocomplete: 'off', required: true, 'aria-describedby': hint });
    const { oauth } = offer;
    const there = oauth && h('button', {
        type: 'button',
        class: 'primary',
        onclick: () => begin(oauth).catch(error => {
            if (!(error instanceof Refused)) {
                throw error;
            }
            message.textContent = `${error.message} ${error.hint ?? ''}`;
        }),
    }, `Sign in at ${new URL(oauth.issuer).host}`);
    const element = h('section', { class: 'page sign-in' }, h('h1', {}, 'Sign in'),
        there && h('p', {}, there), there && h('p', { class: 'quiet' }, 'Or with a token:'),
        h('form', {
            novalidate: true,
            onsubmit: async (/** @type {Event} */ event) => {
                event.preventDefault();
                const value = input.value.trim();
                if (!/^[\x21-\x7e]+$/.test(value)) {
                    message.textContent = 'A token has no spaces and only letters, digits and signs.';
                    return;
                }
                keepToken(value);
                await enter();
            },
        },
        h('label', { for: id }, 'Access token'), input,
        h('p', { class: 'quiet', id: hint }, whence(offer), ' It is kept in this tab until you close it.'),
        h('button', { type: 'submit', class: there ? null : 'primary' }, 'Sign in')), message);
    return {
        element,
        focus: () => (there ?? input).focus(),
        /** @param {string} words */
        complain(words) {
            message.textContent = words;
        },
    };
}

/**
 * Where the user finds a token.
 * @param {{ oauth: import('./oauth.js').Offer | null, browse: boolean }} offer
 */
function whence({ oauth, browse }) {
    if (browse) {
        return 'Each tab needs its own sign-in. Open the address that the command browse has printed, or enter the token in it.';
    }
    return oauth
        ? 'A token of the authorization server that this server trusts, or one that the operator made with the command token new.'
        : 'The operator makes one with the command token new.';
}
