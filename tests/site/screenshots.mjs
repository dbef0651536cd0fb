// Takes pictures of six kinds of pages, in both themes and two sizes. The arguments are the address that
// `toolwrit browse --no-open` prints, and a folder. With a third argument, it takes only those that the README shows.
import path from 'node:path';
import puppeteer from 'puppeteer-core';

const [address, folder, shown] = process.argv.slice(2);
const root = new URL('..', address.split('#')[0]);
const SIZES = [[1100, 720], [390, 760]];
const README = ['front-1100', 'operation-1100', 'policy-390', 'run-1100', 'status-1100', 'list-390'];

async function show(tab, fragment, ready) {
    await tab.evaluate(own => {
        location.hash = own;
    }, fragment);
    await tab.waitForSelector(ready);
}

/** Runs an operation that reads. */
async function run(tab, id, args) {
    await show(tab, `#/op/${id}?${new URLSearchParams({ args: JSON.stringify(args) })}`, '.operation');
    await tab.waitForFunction(own => document.querySelector('.operation h2')?.textContent.startsWith(own), {}, id);
    await tab.evaluate(() => [...document.querySelectorAll('.operation button')].find(own => own.textContent === 'Run').click());
    await tab.waitForFunction(own => document.querySelector('.result')?.textContent.includes(`ok ${own}`), {}, id);
}

const site = page => tab => tab.goto(new URL(`docs/${page}.html`, root));
const PAGES = {
    list: tab => tab.waitForSelector('.items a'),
    run: tab => run(tab, 'vault.read', { path: 'Recipes/Barley bannocks.md' }),
    async status(tab) {
        await run(tab, 'vault.search', { query: 'lantern' });
        await run(tab, 'vault.list', { recursive: true });
        await show(tab, '#/status', '.plot canvas');
        await tab.evaluate(() => document.querySelector('[aria-label="Calls and errors"]').scrollIntoView());
    },
    front: site('index'),
    operation: site('operations/vault/read'),
    policy: site('reference/policy'),
};

const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
});
for (const theme of ['light', 'dark']) {
    for (const [width, height] of SIZES) {
        const context = await browser.createBrowserContext();
        const tab = await context.newPage();
        await tab.setViewport({ width, height });
        await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
        await tab.goto(address);
        await tab.waitForSelector('.items a');
        for (const [name, open] of Object.entries(PAGES)) {
            await open(tab);
            if (!shown || README.includes(`${name}-${width}`)) {
                await tab.screenshot({ path: path.join(folder, `${name}-${theme}-${width}.webp`), type: 'webp', quality: 60 });
            }
        }
        await context.close();
    }
}
await browser.close();
