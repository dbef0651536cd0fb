// Opens the tool browser of a large authority, and types into its search. Writes as JSON how many operations are listed,
// and times in milliseconds: `interactive`, until they are, `operation`, until a form is shown, and `key`, the longest
// time from a key until the list shows what it finds, in the best of some rounds: other programs may hold up a key.
// `drawing` is measured like `key`, between the keys: the time in which this machine draws a list of as many links.
import { open, shut } from './driver.mjs';

const [page] = process.argv.slice(2);
const QUERY = 'do task seven in area three';
const ROUNDS = 3;

const tab = await open();
await tab.goto(page);
await tab.waitForSelector('.items a');
const interactive = await tab.evaluate(() => performance.now());
const listed = await tab.$$eval('.items a', all => all.length);
const { operation, key, drawing } = await tab.evaluate(async (query, rounds) => {
    const drawn = () => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
    const until = async holds => {
        while (!holds()) {
            await new Promise(resolve => setTimeout(resolve, 1));
        }
        await drawn();
    };
    const begun = performance.now();
    location.hash = '#/op/area3.task7';
    await until(() => document.querySelector('.operation h2')?.textContent.startsWith('area3.task7'));
    const shown = performance.now() - begun;
    const input = document.querySelector('.finder input');
    const items = document.querySelector('.items');
    const draw = async () => {
        const start = performance.now();
        const list = document.createElement('ul');
        for (let at = 0; at < items.querySelectorAll('a').length; at += 1) {
            list.append(Object.assign(document.createElement('a'), { href: `#${at}`, textContent: `link ${at}` }));
        }
        items.after(list);
        await drawn();
        list.remove();
        return performance.now() - start;
    };
    const best = { key: Infinity, drawing: Infinity };
    for (let round = 0; round < rounds; round += 1) {
        const longest = { key: 0, drawing: 0 };
        for (let at = 1; at <= query.length; at += 1) {
            const start = performance.now();
            let changed = false;
            const observer = new MutationObserver(() => {
                changed = true;
            });
            observer.observe(items, { childList: true, subtree: true });
            input.value = query.slice(0, at);
            input.dispatchEvent(new Event('input'));
            await until(() => changed);
            observer.disconnect();
            longest.key = Math.max(longest.key, performance.now() - start);
            longest.drawing = Math.max(longest.drawing, await draw());
        }
        best.key = Math.min(best.key, longest.key);
        best.drawing = Math.min(best.drawing, longest.drawing);
    }
    return { operation: shown, ...best };
}, QUERY, ROUNDS);
await shut();
process.stdout.write(JSON.stringify({ listed, interactive, operation, key, drawing }));
