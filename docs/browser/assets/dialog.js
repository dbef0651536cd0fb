// @ts-check
// A question to the user, in a dialog.

import { h, newId } from './dom.js';

/**
 * Asks, and returns whether the user said yes. Escape means no.
 * @param {string} title
 * @param {(import('./dom.js').Child)[]} content
 * @param {string} yes the words on the button
 * @param {boolean} [destroys]
 * @returns {Promise<boolean>}
 */
export function ask(title, content, yes, destroys = false) {
    const id = newId('dialog');
    const no = h('button', { type: 'submit', value: 'no', autofocus: true }, 'Cancel');
    const go = h('button', { type: 'submit', value: 'yes', class: destroys ? 'danger' : 'primary' }, yes);
    const dialog = h('dialog', { 'aria-labelledby': id },
        h('h2', { id }, title),
        h('div', { class: 'body', tabindex: 0, role: 'region', 'aria-label': 'Details' }, content),
        h('form', { method: 'dialog', class: 'buttons' }, no, go));
    document.body.append(dialog);
    return new Promise(resolve => {
        dialog.addEventListener('close', () => {
            dialog.remove();
            resolve(dialog.returnValue === 'yes');
        });
        dialog.showModal();
        no.focus();
    });
}
