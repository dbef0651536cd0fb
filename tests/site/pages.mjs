// Opens pages of a site in a browser, in both themes and two sizes, and writes what is wrong with them as a JSON list:
// violations of accessibility rules, errors on the console, requests that fail or leave the site, and content that is
// wider than the window. Then uses the search and the tabs by keyboard, and follows Tab through a page.
//
// The first argument is a folder or the address of a server, the second a JSON list of pages: all kinds of pages if it
// is empty. With a folder as the third argument, it keeps a picture of each page there.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';

const [site, chosen, pictures] = process.argv.slice(2);
const isServed = site.startsWith('http:');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PAGES = [
    'index',
    'guide/quick-start',
    'guide/errors',
    'operations/vault',
    'operations/vault/read',
    'operations/vault/patch',
    'operations/vault/delete',
    'operations/plugin/dataview/query',
    'reference/policy',
    'reference/focus/full',
    'reference/roles/owner',
    'reference/surfaces',
    'reference/types',
    'reference/types/NoteFormat',
    'reference/errors',
    'reference/errors/NOT_FOUND',
    'reference/contexts',
    'reference/providers',
    'reference/cookbooks',
    'reference/prompts',
    'reference/older-names',
    'reference/changes',
    'guide/manifest',
    'guide/http',
];
const chosenPages = JSON.parse(chosen);
const pages = chosenPages.length > 0 ? chosenPages : PAGES;
const SIZES = [[1280, 900], [390, 844], [2560, 1440]];
const THEMES = ['light', 'dark'];
const TIMEOUT = 60_000;

const wrong = [];
const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
});

function address(page) {
    return isServed ? `${site}${page}.html` : pathToFileURL(path.join(site, `${page}.html`)).href;
}

async function check(tab, name, place) {
    await tab.evaluate(axe);
    const { violations } = await tab.evaluate(() => globalThis.axe.run(document, { preload: false }));
    for (const { id, nodes } of violations) {
        wrong.push(`${place}: ${id}: ${nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(' | ')}`);
    }
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (wide > 0) {
        wrong.push(`${place}: ${wide} pixels wider than the window`);
    }
    if (pictures) {
        await tab.screenshot({ path: path.join(pictures, `${place.replaceAll('/', '-')}.png`) });
    }
}

for (const theme of THEMES) {
    for (const [width, height] of SIZES) {
        const tab = await browser.newPage();
        await tab.setViewport({ width, height });
        await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
        for (const kind of ['console', 'pageerror', 'requestfailed']) {
            tab.on(kind, event => {
                if (kind !== 'console' || event.type() === 'error') {
                    wrong.push(`${tab.url()}: ${kind}: ${event.text?.() ?? event.message ?? event.url?.()}`);
                }
            });
        }
        tab.on('request', request => {
            const own = isServed ? request.url().startsWith(site) : request.url().startsWith('file:');
            if (!own && !request.url().startsWith('data:')) {
                wrong.push(`${tab.url()} asks for ${request.url()}`);
            }
        });
        for (const name of pages) {
            const answer = await tab.goto(address(name));
            if (!answer.ok() && answer.status() !== 304) {
                wrong.push(`${name}: ${answer.status()}`);
            }
            await check(tab, name, `${name} ${theme} ${width}`);
        }
        await tab.close();
    }
}

const tab = await browser.newPage();
await tab.setViewport({ width: 1280, height: 900 });
await tab.goto(address('operations/vault/read'));

// Tab goes through the page from its start to its end, and each stop is marked

const stops = await tab.evaluate(() => document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]').length);
let before = null;
for (let stop = 0; stop < stops; stop += 1) {
    await tab.keyboard.press('Tab');
    const { name, isAfter, isMarked, isEnd } = await tab.evaluate(() => {
        const own = document.activeElement;
        const last = globalThis.lastStop;
        globalThis.lastStop = own;
        return {
            name: own.textContent.trim().slice(0, 40) || own.id,
            isAfter: !last || Boolean(last.compareDocumentPosition(own) & Node.DOCUMENT_POSITION_FOLLOWING),
            isMarked: getComputedStyle(own).outlineStyle !== 'none',
            isEnd: own === document.body,
        };
    });
    if (isEnd) {
        break;
    }
    if (stop === 0 && name !== 'Skip to the content') {
        wrong.push(`the first stop of Tab is ${name}`);
    }
    if (!isAfter) {
        wrong.push(`Tab goes back from ${before} to ${name}`);
    }
    if (!isMarked) {
        wrong.push(`the stop of Tab at ${name} is not marked`);
    }
    before = name;
}

// The search and the tabs

await tab.evaluate(() => document.activeElement.blur());
await tab.keyboard.press('/');
// Until the whole query is answered, what a part of it has found may still be replaced
const isWhole = answer => answer.url().endsWith('search?q=rename%20file');
const answered = isServed ? tab.waitForResponse(isWhole, { timeout: TIMEOUT }) : null;
await tab.keyboard.type('rename file');
await answered;
await tab.waitForNetworkIdle({ idleTime: 500, timeout: TIMEOUT });
await tab.waitForFunction(() => document.querySelector('#results a')?.href.endsWith('operations/vault/rename.html'), { timeout: TIMEOUT });
await check(tab, 'search', 'search light 1280');
await tab.keyboard.press('ArrowDown');
await Promise.all([tab.waitForNavigation({ timeout: TIMEOUT }), tab.keyboard.press('Enter')]);
if (!tab.url().endsWith('operations/vault/rename.html')) {
    wrong.push(`the search led to ${tab.url()}`);
}

// A page that the query names is before operations that it finds, and a query may find nothing

async function searched(query) {
    await tab.$eval('#query', (field, words) => {
        field.value = words;
        field.dispatchEvent(new Event('input'));
    }, query);
}
await searched('VALIDATION_ERROR');
await tab.waitForFunction(() => document.querySelector('#results .title')?.textContent.endsWith('VALIDATION_ERROR'), { timeout: TIMEOUT })
    .catch(() => wrong.push('the search for VALIDATION_ERROR does not begin with its page'));
await searched('zzyzx');
await tab.waitForFunction(() => document.getElementById('told').textContent === 'Nothing matches.' && !document.querySelector('#results a'), { timeout: TIMEOUT })
    .catch(() => wrong.push('the search for nothing shows something'));
await tab.keyboard.press('Escape');

// Underlines do not hide underscores, and paper is light

await tab.goto(address('reference/errors'));
const line = await tab.$eval('td a code', code => getComputedStyle(code.parentElement).textUnderlinePosition);
if (line !== 'under') {
    wrong.push(`the underline of a code is ${line}`);
}
await tab.evaluate(() => {
    document.documentElement.dataset.theme = 'dark';
});
await tab.emulateMediaType('print');
const ink = await tab.evaluate(() => getComputedStyle(document.body).color);
if (ink !== 'rgb(28, 33, 40)') {
    wrong.push(`on paper, the text is ${ink}`);
}
await tab.emulateMediaType('screen');
await tab.goto(address('operations/vault/rename'));

await tab.focus('[role="tab"]');
await tab.keyboard.press('ArrowRight');
const shown = await tab.evaluate(() => document.querySelector('[role="tabpanel"]:not([hidden])').dataset.name);
if (shown !== 'Dispatch') {
    wrong.push(`the arrow key showed the tab ${shown}`);
}
await tab.reload();
const kept = await tab.evaluate(() => document.querySelector('[role="tabpanel"]:not([hidden])').dataset.name);
if (kept !== 'Dispatch') {
    wrong.push(`after a reload, the tab is ${kept}`);
}

await browser.close();
process.stdout.write(JSON.stringify(wrong));
