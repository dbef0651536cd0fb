// Drives Chromium for the tests of the tool browser, and collects what is wrong. With the variable PICTURES, it keeps
// pictures in that folder.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const modules = createRequire(new URL('../site/package.json', import.meta.url));
const puppeteer = modules('puppeteer-core');
const axe = readFileSync(modules.resolve('axe-core/axe.min.js'), 'utf8');
const SIZES = [[1280, 900], [390, 844], [640, 450], [2560, 1440]];
const THEMES = ['light', 'dark'];
const TIMEOUT = 60_000;

const wrong = [];
/** The status of requests that are meant to fail. */
let refused = [];
const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
});

/** From now on, requests may fail with these statuses only. */
export function meant(statuses) {
    refused = statuses;
}

/** A tab that shares no storage with others. */
export async function open() {
    const context = await browser.createBrowserContext();
    const tab = await context.newPage();
    tab.setDefaultTimeout(TIMEOUT);
    await tab.setViewport({ width: 1280, height: 900 });
    await tab.evaluateOnNewDocument(() => {
        globalThis.violations = [];
        document.addEventListener('securitypolicyviolation', event => globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
    });
    tab.on('console', message => {
        const isMeant = refused.some(status => message.text().includes(`status of ${status}`));
        if (['error', 'warn'].includes(message.type()) && !isMeant) {
            wrong.push(`console: ${message.text()}`);
        }
    });
    tab.on('pageerror', error => wrong.push(`pageerror: ${error.message}`));
    return tab;
}

export function expect(is, what) {
    if (!is) {
        wrong.push(what);
    }
}

/** Checks what is shown: its accessibility, its width, and that the policy of the page blocked nothing. */
export async function check(tab, place) {
    await tab.evaluate(axe);
    const { violations } = await tab.evaluate(() => globalThis.axe.run(document, { preload: false }));
    for (const { id, nodes } of violations) {
        wrong.push(`${place}: ${id}: ${nodes.slice(0, 3).map(node => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(' | ')}`);
    }
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(wide <= 0, `${place}: ${wide} pixels wider than the window`);
    const blocked = await tab.evaluate(() => globalThis.violations);
    expect(blocked.length === 0, `${place}: ${blocked}`);
    if (process.env.PICTURES) {
        await tab.screenshot({ path: path.join(process.env.PICTURES, `${place.replaceAll(' ', '-')}.png`) });
    }
}

/** Checks what is shown in both themes and all sizes. */
export async function checkAll(tab, what) {
    for (const theme of THEMES) {
        await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
        for (const [width, height] of SIZES) {
            await tab.setViewport({ width, height });
            await check(tab, `${what} ${theme} ${width}`);
        }
    }
    await tab.setViewport({ width: 1280, height: 900 });
}

/** Presses the button with these words. */
export const press = (tab, words) => tab.evaluate(own => {
    [...document.querySelectorAll('dialog button, main button, main [role=tab]')].find(button => button.textContent === own).click();
}, words);

export const text = (tab, selector) => tab.$eval(selector, element => element.textContent);

/** Ends the browser. */
export const shut = () => browser.close();

/** Ends, and writes what is wrong as a JSON list. */
export async function done() {
    await shut();
    process.stdout.write(JSON.stringify(wrong));
}
