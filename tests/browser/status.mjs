// Restarts, tests and enables an upstream server on the status page. The arguments are the address with the token, the
// folder in which the upstream keeps its process id and finds whether it is broken, and the command that switches it off.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkAll, done, expect, meant, open, press } from './driver.mjs';

const [address, folder, ...off] = process.argv.slice(2);
const pid = () => Number(readFileSync(path.join(folder, 'pid'), 'utf8'));
const broken = path.join(folder, 'broken');

const tab = await open();
await tab.goto(address);
await tab.waitForSelector('.items a');
await tab.evaluate(() => {
    location.hash = '#/status';
});
const card = '.card[aria-label=shelf]';
const says = words => tab.waitForFunction((own, part) => document.querySelector(own)?.textContent.includes(part), {}, card, words);
const DONE = 'shelf: done.';
const NOT_READY = '(is|was) not ready';
/** Waits for a notice with these words, a regular expression, and returns them. */
const notice = async words => {
    const found = await tab.waitForFunction(own => document.getElementById('notice').textContent.match(own)?.[0], {}, words);
    return found.jsonValue();
};
/** Presses a button after which the upstream runs. A slow machine may start it later than the page waits for. */
async function starts(button) {
    meant([503]);
    await press(tab, button);
    for (let tries = 0; tries < 10 && await notice(`${DONE}|${NOT_READY}`) !== DONE; tries += 1) {
        await press(tab, 'Restart');
    }
    await says('it is running');
    meant([]);
}
await tab.waitForSelector(card);
expect(JSON.stringify(await tab.$$eval(`${card} button`, all => all.map(own => own.textContent))) === '["Test","Restart"]', 'the upstream cannot be restarted');

// One that answers
await starts('Test');
const first = pid();

// One that was killed, and cannot start
writeFileSync(broken, '');
process.kill(first, 'SIGKILL');
meant([503]);
await press(tab, 'Restart');
await notice(NOT_READY);
meant([]);
await checkAll(tab, 'upstream');

// The cause is mended
rmSync(broken);
await starts('Restart');
expect(pid() !== first, 'the program was not started again');

// Switched off on the command line, and on again here
execFileSync(off[0], off.slice(1), { stdio: 'ignore' });
await tab.waitForFunction(async own => {
    [...document.querySelectorAll('nav a')].find(link => link.textContent === 'History').click();
    await new Promise(resolve => setTimeout(resolve, 100));
    [...document.querySelectorAll('nav a')].find(link => link.textContent === 'Status').click();
    await new Promise(resolve => setTimeout(resolve, 300));
    return document.querySelector(own)?.textContent.includes('Not available: disabled');
}, { polling: 500 }, card);
await starts('Enable again');

await done();
