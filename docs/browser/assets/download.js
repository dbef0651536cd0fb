// @ts-check
// Files that the user saves.

import { h } from './dom.js';

/**
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
export function save(name, type, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    h('a', { href: address, download: name }).click();
    URL.revokeObjectURL(address);
}

/**
 * Rows as CSV. A spreadsheet must not take a cell for a formula.
 * @param {string[]} columns
 * @param {unknown[][]} rows
 */
export function csv(columns, rows) {
    /** @param {unknown} value */
    const cell = value => {
        const text = String(value ?? '');
        const plain = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
        return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
    };
    return [columns, ...rows].map(row => `${row.map(cell).join(',')}\r\n`).join('');
}

/**
 * Rows as a table in Markdown.
 * @param {string[]} columns
 * @param {unknown[][]} rows
 */
export function markdownTable(columns, rows) {
    /** @param {unknown} value */
    const cell = value => String(value ?? '').replaceAll('\\', '\\\\').replaceAll('|', '\\|').replace(/\s+/g, ' ');
    /** @param {unknown[]} row */
    const line = row => `| ${row.map(cell).join(' | ')} |\n`;
    return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('');
}
