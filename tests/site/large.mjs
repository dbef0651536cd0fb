// Opens a page of a large site and types into its search, and writes the longest times in milliseconds as JSON:
// `interactive`, until the page's scripts have run, and `key`, until the search has answered a key, in the best of some
// rounds: other programs may hold up a key.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';

const [site, ...pages] = process.argv.slice(2);
const QUERY = 'do task seven in area three';
const ROUNDS = 3;

const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
});
const tab = await browser.newPage();
const times = {};
for (const page of pages) {
    await tab.goto(pathToFileURL(path.join(site, `${page}.html`)).href);
    times[page] = await tab.evaluate(() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd);
}
const key = await tab.evaluate((query, rounds) => {
    const { prepare, find } = globalThis.toolwritSearch;
    const index = prepare(globalThis.toolwritIndex);
    const longest = () => Math.max(...[...query].map((_, at) => {
        const start = performance.now();
        find(index, query.slice(0, at + 1));
        return performance.now() - start;
    }));
    return Math.min(...Array.from({ length: rounds }, longest));
}, QUERY, ROUNDS);
await browser.close();
process.stdout.write(JSON.stringify({ interactive: Math.max(...Object.values(times)), key }));
