// @ts-check
// JSON whose numbers stay what they are. A script rounds whole numbers above 2^53.

import { Mistake } from './mistake.js';

/** A string, or a number as the first group. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|(-?\d[\d.eE+-]*)/g;
/** A string, an empty list or object, a sign, or blank space. */
const PART = /"[^"\\]*(?:\\.[^"\\]*)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g;

/**
 * Whether a script would round this number.
 * @param {string} number
 */
export function isRounded(number) {
    const value = Number(number);
    return /^-?\d+$/.test(number) ? !Number.isSafeInteger(value) : !Number.isFinite(value);
}

/**
 * Why this page sends no such number.
 * @param {string} number
 */
export function tooLarge(number) {
    const most = Number.MAX_SAFE_INTEGER;
    return `This page cannot send ${number} without rounding it. It sends whole numbers from -${most} to ${most}.`;
}

/**
 * The value of a text that the user has written. Throws a `Mistake`.
 * @param {string} text
 * @returns {unknown}
 */
export function parse(text) {
    let value;
    try {
        value = JSON.parse(text);
    } catch (error) {
        throw new Mistake([], `This is not JSON: ${/** @type {Error} */ (error).message}`);
    }
    for (const [, number] of text.matchAll(STRING_OR_NUMBER)) {
        if (number && isRounded(number)) {
            throw new Mistake([], tooLarge(number));
        }
    }
    return value;
}

/**
 * The value of a text of the server, to be shown: a number that would be rounded becomes a string.
 * @param {string} text
 * @returns {unknown}
 */
export function exact(text) {
    return JSON.parse(text.replace(STRING_OR_NUMBER, (part, number) => (number && isRounded(number) ? `"${number}"` : part)));
}

/**
 * The same JSON, on lines.
 * @param {string} text
 */
export function indented(text) {
    let depth = 0;
    const line = () => `\n${'  '.repeat(depth)}`;
    return text.replace(PART, part => {
        switch (part) {
            case '{':
            case '[':
                depth += 1;
                return part + line();
            case '}':
            case ']':
                depth -= 1;
                return line() + part;
            case ',':
                return part + line();
            case ':':
                return ': ';
            default:
                return part.startsWith('"') ? part : part.replace(/\s/g, '');
        }
    });
}
