// @ts-check
// Builds elements. What is passed as text stays text: no function of the page parses markup.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element with attributes and children. A function is a listener: `{ onclick: run }`.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) {
            continue;
        }
        if (typeof value === 'function') {
            element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
        } else {
            element.setAttribute(name, value === true ? '' : String(value));
        }
    }
    element.append(...nodes(children));
    return element;
}

/**
 * @param {(Child | Child[])[]} children
 * @returns {(Node | string)[]}
 */
function nodes(children) {
    const shown = children.flat().filter(child => child !== null && child !== undefined && child !== false);
    return shown.map(child => (child instanceof Node ? child : String(child)));
}

/**
 * Replaces the content of an element.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
    element.replaceChildren(...nodes(children));
}

/**
 * The element of the page with this id.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
    const found = document.getElementById(id);
    if (!found) {
        throw new Error(`the page has no element ${id}`);
    }
    return found;
}

let last = 0;

/**
 * An id that no other element has.
 * @param {string} what
 */
export function newId(what) {
    last += 1;
    return `${what}-${last}`;
}

/**
 * Tells the user something, also by a screen reader.
 * @param {string} text
 */
export function tell(text) {
    byId('notice').textContent = text;
}

/**
 * Copies a text, and says so.
 * @param {string} text
 * @param {string} what
 */
export async function copy(text, what) {
    try {
        await navigator.clipboard.writeText(text);
        tell(`${what} copied.`);
    } catch {
        tell('The browser does not allow copying. Select the text and copy it.');
    }
}

/**
 * A part of the page that scrolls by itself, also by keyboard.
 * @param {string} label
 * @param {...Child} children
 */
export function scrolling(label, ...children) {
    return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, children);
}
