// Uses the tool browser as a person does, and writes what is wrong with it as a JSON list. The arguments are the address
// with the token, and the folder of the vault. With a folder as the third argument, it keeps pictures there.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkAll, check, done, expect, meant, open, press, text } from './driver.mjs';

const [address, vault] = process.argv.slice(2);
const [page, token] = address.split('#token=');

/** Shows an operation, and waits for its form. */
async function go(tab, id, args) {
    const query = args ? `?${new URLSearchParams({ args: JSON.stringify(args) })}` : '';
    await tab.evaluate(fragment => {
        location.hash = fragment;
    }, `#/op/${encodeURIComponent(id)}${query}`);
    await tab.waitForFunction(own => document.querySelector('.operation h2')?.textContent.startsWith(own), {}, id);
}

const field = name => `.operation textarea[aria-label="${name}"]`;

async function type(tab, selector, words) {
    await tab.$eval(selector, element => {
        element.value = '';
    });
    await tab.type(selector, words);
}

// Without a token, and with a wrong one
meant([401]);
const stranger = await open();
await stranger.goto(page);
await stranger.waitForSelector('.sign-in');
await checkAll(stranger, 'sign-in');
await stranger.type('.sign-in input', 'twt_wrong');
await stranger.keyboard.press('Enter');
await stranger.waitForFunction(() => document.querySelector('.sign-in .fault')?.textContent.includes('invalid'));
await stranger.type('.sign-in input', token);
await stranger.keyboard.press('Enter');
await stranger.waitForSelector('.items a');
// The cookie for pages: a link carries no token.
const docs = await stranger.goto(new URL('../docs/', page));
expect(docs.status() === 200, `the documentation answered ${docs.status()}`);
await stranger.close();
meant([]);

// With the address that `browse` opens
const tab = await open();
await tab.goto(address);
await tab.waitForSelector('.items a');
expect(!tab.url().includes('twt_'), 'the token stays in the address');
await checkAll(tab, 'list');

// Tab: the link to the content, the head, then the list
const stops = [];
await tab.evaluate(() => document.activeElement.blur());
for (let at = 0; at < 10; at += 1) {
    await tab.keyboard.press('Tab');
    stops.push(await tab.evaluate(() => document.activeElement.getAttribute('placeholder') ?? document.activeElement.textContent));
}
const order = ['Skip to the content', 'Markdown vault', 'Operations', 'History', 'Compare', 'Status', 'Documentation', 'Dark or light', 'Sign out', 'Search operations'];
expect(JSON.stringify(stops) === JSON.stringify(order), `Tab stops at ${stops}`);

// The search, by keyboard
await tab.evaluate(() => document.activeElement.blur());
await tab.keyboard.press('/');
await tab.keyboard.type('rename file');
await tab.waitForFunction(() => document.querySelector('.items code')?.textContent === 'vault.rename');
await tab.keyboard.press('ArrowDown');
await tab.keyboard.press('Enter');
await tab.waitForFunction(() => document.querySelector('.operation h2')?.textContent.startsWith('vault.rename'));
await tab.$eval('.finder input', input => {
    input.value = '';
    input.dispatchEvent(new Event('input'));
});
await tab.waitForFunction(() => document.querySelectorAll('.items h2').length > 1);
// The list is in view, and so is what runs an operation, however long it is.
await tab.setViewport({ width: 1280, height: 720 });
const first = await tab.$eval('.items a', own => own.getBoundingClientRect().top);
expect(first < 360, `the first operation begins at ${first}`);
for (const id of ['vault.write', 'web.fetch', 'vault.search', 'vault.patch', 'vault.read']) {
    await go(tab, id);
    const { top, bottom } = await tab.$eval('.operation .buttons .primary', own => own.getBoundingClientRect().toJSON());
    expect(top > 0 && bottom <= 720, `Run of ${id} is at ${top} to ${bottom}`);
}
await tab.setViewport({ width: 1280, height: 900 });
await tab.click('.narrow summary');
await press(tab, 'destroy');
await tab.waitForFunction(() => [...document.querySelectorAll('.items .effect')].every(mark => mark.textContent === 'destroy'));
await press(tab, 'destroy');
await press(tab, 'reader');
await tab.waitForFunction(() => ![...document.querySelectorAll('.items code')].some(code => code.textContent === 'vault.delete'));
await press(tab, 'reader');
await tab.waitForFunction(() => [...document.querySelectorAll('.items code')].some(code => code.textContent === 'vault.delete'));

// A form that calls, and a note that would run scripts
await go(tab, 'vault.read');
await type(tab, field('path'), 'Hostile.md');
await press(tab, 'Run');
await tab.waitForSelector('.prose');
const shown = await text(tab, '.prose');
expect(shown.includes('<img src=x onerror'), `the note is shown as ${shown}`);
expect(await tab.$eval('.prose', prose => prose.querySelectorAll('img, script, b').length) === 0, 'the note has made elements');
expect(await tab.$eval('.prose', prose => prose.querySelectorAll('a').length) === 0, 'a link runs a script');
expect(await tab.$eval('.prose table', table => table.rows.length) === 2, 'the table of the note is not shown');
await checkAll(tab, 'result');
for (const view of ['Tree', 'Raw']) {
    await press(tab, view);
    await check(tab, view);
}
expect(await tab.evaluate(() => globalThis.hit) === undefined, 'a note has run a script');

// A refusal, with its field marked
await go(tab, 'vault.read', { path: 'Inbox.md', lines: 'first' });
await press(tab, 'Run');
await tab.waitForSelector(`${field('lines')}[aria-invalid=true]`);
expect(await tab.evaluate(() => document.activeElement.getAttribute('aria-label')) === 'lines', 'the wrong field has no focus');
expect((await text(tab, '.arguments .fault')).includes('VALIDATION_ERROR'), 'the refusal is not shown');
await checkAll(tab, 'refusal');
await press(tab, 'Edit as JSON');
await type(tab, '.arguments textarea.code[rows="12"]', '[1]');
await press(tab, 'Check');
await tab.waitForFunction(() => document.querySelector('.arguments .fault').textContent.includes('Expected an object'));

// The call in other forms, which do the same elsewhere
await go(tab, 'vault.read', { path: 'Inbox.md' });
await tab.evaluate(() => {
    navigator.clipboard.writeText = async words => {
        globalThis.copied = words;
    };
});
async function copied(words) {
    await press(tab, words);
    await tab.waitForFunction(() => document.getElementById('notice').textContent.endsWith('copied.'));
    return tab.evaluate(() => globalThis.copied);
}
const call = JSON.parse(await copied('Copy as MCP call'));
expect(call.name === 'vault_read' && call.arguments.path === 'Inbox.md', `the MCP call is ${JSON.stringify(call)}`);
expect((await copied('Copy as Markdown')).includes(JSON.stringify(call, null, 2)), 'the Markdown has another call');
const surroundings = { ...process.env, TOOLWRIT_TOKEN: token };
for (const form of ['Copy as curl', 'Copy as command']) {
    const command = await copied(form);
    expect(!command.includes(token), `${form} has the token`);
    const printed = execFileSync('sh', ['-c', command], { env: surroundings, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    expect(printed.includes('a lantern'), `${form} gave ${printed}`);
}
const words = '``` : # <% "x" \u2028 true';
await go(tab, 'vault.search', { query: words, limit: 2 });
writeFileSync(path.join(vault, 'Copied.md'), await copied('Copy as block'));
const state = mkdtempSync(path.join(tmpdir(), 'toolwrit-blocks-'));
execFileSync('toolwrit', ['run', 'Copied.md', '--vault', vault, '--data-dir', state], { stdio: 'ignore' });
rmSync(state, { recursive: true });
const ran = readFileSync(path.join(vault, 'Copied.md'), 'utf8');
const sent = JSON.parse(ran.match(/`vault\.search` · ok.*\n> `{3,}json\n> (.*)\n/)?.[1] ?? 'null');
expect(sent?.query === words && sent.limit === 2, `the block was run as ${ran}`);
await go(tab, 'vault.read', { path: 'Inbox.md' });
const link = await copied('Copy a link to this call');
const before = await text(tab, '.result');
await tab.goto(link);
await tab.waitForSelector('.operation');
expect(await tab.$eval(field('path'), element => element.value) === 'Inbox.md', 'the link does not fill the form');
expect(await text(tab, '.result') === before, 'the link has run the call');

// A write that asks
await go(tab, 'vault.append', { path: 'Inbox.md', content: '- [ ] a second one' });
await press(tab, 'Run');
await tab.waitForSelector('dialog[open]');
await checkAll(tab, 'question');
await tab.keyboard.press('Escape');
await tab.waitForFunction(() => !document.querySelector('dialog'));
expect(!readFileSync(path.join(vault, 'Inbox.md'), 'utf8').includes('second'), 'a write ran without a yes');
await press(tab, 'Run');
await tab.waitForSelector('dialog[open]');
await press(tab, 'Run it');
await tab.waitForFunction(() => document.querySelector('.result')?.textContent.includes('ok vault.append'));

// What removes data shows what it would do
await go(tab, 'vault.delete', { path: 'Old.md' });
await press(tab, 'Run');
await tab.waitForSelector('dialog[open]');
expect((await text(tab, 'dialog')).includes('What it would do'), 'no dry run is shown');
expect(existsSync(path.join(vault, 'Old.md')), 'a note was deleted before the yes');
await checkAll(tab, 'confirmation');
await press(tab, 'Run it');
await tab.waitForFunction(() => document.querySelector('.result')?.textContent.includes('ok vault.delete'));

// A table
await go(tab, 'vault.list', { recursive: true });
await press(tab, 'Run');
await tab.waitForFunction(() => document.querySelector('.result table')?.textContent.includes('Inbox.md'));
expect(/total\s*\d/.test(await text(tab, '.result .facts')), 'the table hides how many there are');
await checkAll(tab, 'table');

// History, comparison and status
await tab.evaluate(() => {
    location.hash = '#/history';
});
await tab.waitForFunction(() => document.querySelectorAll('.page tbody tr').length >= 5);
await checkAll(tab, 'history');
await tab.evaluate(() => {
    const make = URL.createObjectURL;
    URL.createObjectURL = blob => {
        globalThis.saved = blob.text();
        return make(blob);
    };
});
const listed = await tab.$$eval('.page tbody tr', rows => rows.length);
for (const [form, lines] of [
    ['JSON', words => JSON.parse(words).length],
    ['CSV', words => words.trim().split('\r\n').length - 1],
    ['Markdown', words => words.trim().split('\n').length - 2],
]) {
    await press(tab, `Export ${form}`);
    const saved = await tab.evaluate(() => globalThis.saved);
    expect(lines(saved) === listed && saved.includes('vault.append'), `the ${form} of ${listed} calls is ${saved}`);
}
await tab.evaluate(() => [...document.querySelectorAll('.page tbody tr')].find(row => row.textContent.includes('vault.append')).querySelector('a').click());
await tab.waitForFunction(() => document.querySelector('.operation h2')?.textContent.startsWith('vault.append'));
expect(await tab.$eval(field('content'), element => element.value) === '- [ ] a second one', 'the arguments of the call are gone');
expect(!tab.url().includes('second'), 'the arguments are in the address');
await tab.evaluate(() => {
    location.hash = '#/compare';
});
await tab.waitForSelector('.difference');
await checkAll(tab, 'compare');
await tab.evaluate(() => {
    location.hash = '#/status';
});
await tab.waitForSelector('.plot canvas');
/** Whether a pixel of a plot has a colour, which is a property of the style sheet or one as `rgb(0, 0, 0)`. */
const hasPixel = own => {
    const probe = document.createElement('span');
    probe.style.color = own.startsWith('--') ? `var(${own})` : own;
    document.body.append(probe);
    const wanted = getComputedStyle(probe).color;
    probe.remove();
    return [...document.querySelectorAll('.plot canvas')].some(canvas => {
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
        for (let at = 0; at < data.length; at += 4) {
            if (data[at + 3] === 255 && wanted === `rgb(${data[at]}, ${data[at + 1]}, ${data[at + 2]})`) {
                return true;
            }
        }
        return false;
    });
};
for (const theme of ['dark', 'light']) {
    await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    for (const name of ['--bar', '--line', '--quiet']) {
        await tab.waitForFunction(hasPixel, {}, name).catch(() => expect(false, `no plot has a pixel of ${name} in the theme ${theme}`));
    }
    expect(!await tab.evaluate(hasPixel, 'rgb(0, 0, 0)'), `a plot has black pixels in the theme ${theme}`);
}
await press(tab, 'Test');
await tab.waitForFunction(() => document.getElementById('notice').textContent.endsWith('done.'));
await checkAll(tab, 'status');
await tab.evaluate(() => document.querySelectorAll('details').forEach(details => {
    details.open = true;
}));
await check(tab, 'status-tables');

// The end
await tab.evaluate(() => document.getElementById('leave').click());
await tab.waitForSelector('.sign-in');
expect(await tab.evaluate(() => sessionStorage.length) === 0, 'the token is still kept');

await done();
