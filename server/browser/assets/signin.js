// @ts-check
// Asks for an access token.

import { keepToken } from './api.js';
import { h, newId } from './dom.js';

/**
 * @param {{ oauth: boolean }} offer
 * @param {() => Promise<void>} enter
 */
export function signInView(offer, enter) {
    const id = newId('token');
    const hint = newId('hint');
    const message = h('p', { class: 'fault', role: 'alert' });
    const input = h('input', { id, type: 'password', autocomplete: 'off', required: true, 'aria-describedby': hint });
    const element = h('section', { class: 'page sign-in' }, h('h1', {}, 'Sign in'),
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
        h('p', { class: 'quiet', id: hint }, offer.oauth
            ? 'A token of the authorization server that this server trusts, or one that the operator made with the command token new.'
            : 'The operator makes one with the command token new.',
        ' It is kept in this tab until you close it.'),
        h('button', { type: 'submit', class: 'primary' }, 'Sign in'), message));
    return {
        element,
        focus: () => input.focus(),
        /** @param {string} words */
        complain(words) {
            message.textContent = words;
        },
    };
}
