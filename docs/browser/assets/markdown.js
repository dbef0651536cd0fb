// @ts-check
// Markdown as elements. marked splits the text into tokens; each kind of token becomes one element. HTML in the text is
// shown as text, images are not loaded, and links go only to addresses of the web and of mail.

import { h } from './dom.js';
import { lexer } from './vendor/marked.js';

/** The deepest nesting that is shown as elements. */
const DEEPEST = 40;

/** The level of the heading above the text. */
const ABOVE = 2;
/** The level of the last heading: levels are not left out, whatever the text does. */
let last = ABOVE;

/**
 * @param {string} text
 * @returns {HTMLElement}
 */
export function markdown(text) {
    last = ABOVE;
    // Frontmatter is not Markdown.
    const found = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(text);
    const front = found && h('pre', { class: 'front', tabindex: 0 }, found[1]);
    const body = found ? text.slice(found[0].length) : text;
    return h('div', { class: 'prose' }, front, elements(lexer(body), 0));
}

/**
 * @param {any[] | undefined} tokens
 * @param {number} depth
 * @returns {import('./dom.js').Child[]}
 */
function elements(tokens, depth) {
    return (tokens ?? []).flatMap(token => (depth > DEEPEST ? token.raw : element(token, depth + 1)));
}

/**
 * @param {any} token
 * @param {number} depth
 * @returns {import('./dom.js').Child | import('./dom.js').Child[]}
 */
function element(token, depth) {
    const inner = () => elements(token.tokens, depth);
    switch (token.type) {
        case 'space':
        case 'def':
            return null;
        case 'heading':
            last = Math.min(token.depth + ABOVE, last + 1, 6);
            return h('p', { class: `heading level-${token.depth}`, role: 'heading', 'aria-level': last }, inner());
        case 'paragraph':
            return h('p', {}, inner());
        case 'text':
            return token.tokens ? inner() : token.text;
        case 'escape':
            return token.text;
        case 'strong':
            return h('strong', {}, inner());
        case 'em':
            return h('em', {}, inner());
        case 'del':
            return h('del', {}, inner());
        case 'br':
            return h('br');
        case 'hr':
            return h('hr');
        case 'codespan':
            return h('code', {}, token.text);
        case 'code':
            return h('pre', { tabindex: 0 }, h('code', {}, token.text));
        case 'blockquote':
            return h('blockquote', {}, inner());
        case 'list':
            return h(token.ordered ? 'ol' : 'ul', token.ordered && token.start !== 1 ? { start: token.start } : {},
                token.items.map((/** @type {any} */ item) => listItem(item, depth)));
        case 'table':
            return table(token, depth);
        case 'link':
            return link(token, inner());
        case 'image':
            return h('span', { class: 'image' }, `[image: ${token.text || token.href}]`);
        default:
            // HTML, and whatever a later version of marked may know.
            return token.block ? h('pre', { tabindex: 0 }, token.raw) : token.raw;
    }
}

/**
 * @param {any} item
 * @param {number} depth
 */
function listItem(item, depth) {
    const box = item.task ? h('span', {}, item.checked ? '[x] ' : '[ ] ') : null;
    return h('li', {}, box, elements(item.tokens, depth));
}

/**
 * @param {any} token
 * @param {number} depth
 */
function table(token, depth) {
    /**
     * @param {any} cell
     * @param {'td' | 'th'} tag
     */
    const cell = (cell, tag) => h(tag, tag === 'th' ? { scope: 'col' } : {}, elements(cell.tokens, depth));
    const head = h('tr', {}, token.header.map((/** @type {any} */ own) => cell(own, 'th')));
    const rows = token.rows.map((/** @type {any[]} */ row) => h('tr', {}, row.map(own => cell(own, 'td'))));
    return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table' },
        h('table', {}, h('thead', {}, head), h('tbody', {}, rows)));
}

/**
 * @param {any} token
 * @param {import('./dom.js').Child[]} inner
 */
function link(token, inner) {
    const isSafe = /^(https?:|mailto:)/i.test(token.href);
    return isSafe
        ? h('a', { href: token.href, rel: 'noopener noreferrer', target: '_blank' }, inner)
        : h('span', { class: 'link' }, inner);
}
