// Fills forms of the tool browser as a person does, and writes what is wrong as a JSON list. The argument is the address
// with the token. `lab.count` has been called once with 2^53.
import { checkAll, done, expect, meant, open, press, text } from './driver.mjs';

const [address] = process.argv.slice(2);
const [page] = address.split('#token=');
meant([401]);

const tab = await open();
await tab.goto(address);
await tab.waitForSelector('.items a');

/** Shows an operation, with arguments if there are any. */
async function go(id, args) {
    const query = args ? `?${new URLSearchParams({ args })}` : '';
    await tab.evaluate(fragment => {
        location.hash = fragment;
    }, `#/op/${id}${query}`);
    await tab.waitForFunction(own => document.querySelector('.operation h2')?.textContent.startsWith(own), {}, id);
}

const control = (name, kind = 'textarea') => `.operation ${kind}[aria-label="${name}"]`;
const message = () => text(tab, '.arguments > .fault');
const notice = words => tab.waitForFunction(own => document.getElementById('notice').textContent.includes(own), {}, words);
const isRaw = () => tab.$eval('.arguments > .object', fields => fields.hidden);
const raw = () => tab.$eval('.arguments textarea.code[rows="12"]', area => area.value);
const pane = () => tab.$eval('.panes', panes => panes.dataset.pane);

/** Calls a tool beside the page, and returns the text of the answer. */
const call = tool => tab.evaluate(async name => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${sessionStorage.getItem('toolwrit-token')}` };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } });
    const answer = await fetch(new URL('../mcp/flat', document.baseURI), { method: 'POST', headers, body });
    return await answer.text();
}, tool);

// Arguments of a link that the form cannot show stay as they are, with the reason
for (const [args, reason] of [
    ['{"text":5,"whole":3}', 'The form cannot show the argument "text". Expected text.'],
    ['{"text":"abc","whole":"7"}', 'The form cannot show the argument "whole". Expected a whole number.'],
    ['{"text":"abc","whole":3,"flag":"false"}', 'The form cannot show the argument "flag". Expected one of: true, false.'],
    ['{"text":"abc","whole":3,"colour":"nope"}', 'The form cannot show the argument "colour". Expected one of: red, green'],
    ['{"text":"abc","whole":3,"list":{}}', 'The form cannot show the argument "list". Expected a list.'],
    ['{"text":"abc","whole":3,"list":[1,null]}', 'The form cannot show the argument "list.1". Expected a whole number.'],
    ['{"text":"abc","whole":3,"point":{"x":1,"z":2}}', 'The form cannot show the argument "point.z". It has no field of this name.'],
    ['{"text":"abc","whole":3,"other":1}', 'The form cannot show the argument "other". It has no field of this name.'],
    ['{"text":"a\\r\\nb","whole":3}', 'The form cannot show the argument "text". It has ends of lines that the field would change.'],
    ['{"text":"abc","whole":9007199254740993}', 'This page cannot send 9007199254740993 without rounding it.'],
    ['{"text":"abc"', 'This is not JSON'],
]) {
    await go('lab.shapes', args);
    expect(await isRaw() && await raw() === args, `${args} is shown as ${await raw()}`);
    expect((await message()).includes(reason), `${args} is refused with ${await message()}`);
}
await checkAll(tab, 'misfit');

// They are still there after a try to show the form, and go to the server as they are
await go('lab.shapes', '{"text":"abc","whole":3,"other":2}');
await press(tab, 'Edit as JSON');
expect(await isRaw() && (await raw()).includes('other'), 'an unknown argument vanished');
await press(tab, 'Check');
await tab.waitForFunction(() => document.querySelector('.arguments > .fault').textContent.includes('VALIDATION_ERROR'));

// Numbers have one form, and are never rounded
await go('lab.shapes', '{"text":"abc","whole":3}');
expect(!await isRaw(), 'valid arguments are shown as JSON');
for (const [given, reason] of [['0x10', 'Expected a whole number.'], ['1e3', 'Expected a whole number.'], ['9007199254740993', 'without rounding']]) {
    await tab.$eval(control('whole', 'input'), (input, words) => {
        input.value = words;
    }, given);
    await press(tab, 'Check');
    const shown = await tab.$eval(control('whole', 'input'), input => input.parentElement.textContent);
    expect(shown.includes(reason), `${given} is refused with ${shown}`);
}
// Text that is incomplete does not lock the form
await press(tab, 'Edit as JSON');
expect(await isRaw() && (await raw()).includes('"9007199254740993"'), `the JSON is ${await raw()}`);

await go('lab.count', '{"by":1}');
await press(tab, 'Run');
await tab.waitForSelector('dialog[open]');
await press(tab, 'Run it');
await tab.waitForFunction(() => document.querySelector('.result')?.textContent.includes('ok lab.count'));
expect((await text(tab, '.tree')).includes('9007199254740993'), 'the tree has a rounded number');
await press(tab, 'Raw');
const sent = '{\n  "result": 9007199254740993\n}';
expect(await text(tab, '[aria-label="Raw result"]') === sent, `the raw result is ${await text(tab, '[aria-label="Raw result"]')}`);

// A choice is the user's
await go('lab.furnish');
expect(await tab.$eval(control('bench', 'select'), own => own.selectedOptions[0].textContent) === 'Choose', 'a required boolean is chosen already');
await press(tab, 'Run');
expect(await tab.$eval(control('bench', 'select'), own => own.getAttribute('aria-invalid')) === 'true', 'a call ran without a choice');
expect(await tab.$('dialog') === null, 'a call was offered without a choice');

// Dates are named, and secrets are hidden and stay out of links
await go('lab.shapes');
const kinds = await tab.$$eval('.member .name', names => names.map(name => name.textContent));
expect(kinds.includes('day date') && kinds.includes('moment datetime'), `the types are ${kinds}`);
await go('lab.panic', '{"secret":"hush"}');
expect(await tab.$eval(control('secret', 'input'), input => input.type === 'password' && input.value) === 'hush', 'a secret can be read');
await tab.evaluate(() => {
    navigator.clipboard.writeText = async words => {
        globalThis.copied = words;
    };
});
await press(tab, 'Copy a link to this call');
await notice('copied');
expect(!(await tab.evaluate(() => globalThis.copied)).includes('hush'), 'a link has a secret');

// Enter sends a line, and the focus stays
await go('lab.echo', '{"text":"one"}');
await tab.focus(control('text'));
await tab.keyboard.press('End');
await tab.keyboard.down('Control');
await tab.keyboard.press('Enter');
await tab.keyboard.up('Control');
await tab.waitForFunction(() => document.querySelector('.result')?.textContent.includes('ok lab.echo'));
expect(await tab.evaluate(() => document.activeElement.getAttribute('aria-label')) === 'text', 'the field lost the focus');
await go('lab.shapes', '{"text":"abc","whole":4}');
await tab.focus(control('text'));
await tab.keyboard.press('Enter');
await tab.waitForFunction(() => document.querySelector('.result')?.textContent.includes('ok lab.shapes'));
expect(await tab.$eval(control('text'), area => area.value) === 'abc', 'Enter began a line');

// What is typed is there on return
await go('lab.echo');
await tab.type(control('text'), ' and two');
const typed = await tab.$eval(control('text'), area => area.value);
await tab.evaluate(() => {
    location.hash = '#/history';
});
await tab.waitForSelector('.calls');
const outcomes = await tab.$$eval('.choice select option', options => options.map(option => option.value));
expect(outcomes.includes('ok') && !outcomes.includes('NOT_FOUND'), `the outcomes are ${outcomes}`);
await tab.goBack();
await tab.waitForSelector('.operation');
expect(await tab.$eval(control('text'), area => area.value) === typed, 'what was typed is gone');

// A call that runs is shown as running, and leaves a user of a phone where they are
await go('lab.stall');
await press(tab, 'Run');
await tab.waitForFunction(() => document.querySelector('#pane-Result').textContent.includes('lab.stall is running'));
await checkAll(tab, 'running');
await tab.setViewport({ width: 390, height: 844 });
await go('lab.echo');
expect(await pane() === 'Operation', 'the form is not shown');
await call('lab_release');
await notice('lab.stall has ended');
expect(await pane() === 'Operation', 'the page left the form');
await tab.setViewport({ width: 1280, height: 900 });
expect((await text(tab, '.result')).includes('ok lab.stall'), 'the result is not shown');

// Stop ends the call on the server
await go('lab.linger');
await press(tab, 'Run');
await tab.waitForFunction(() => document.querySelector('#pane-Result').textContent.includes('lab.linger is running'));
// The page says so before the request has arrived, and a call that never began is not recorded.
let running = false;
for (let looks = 0; looks < 200 && !running; looks += 1) {
    running = /running\\?":1/.test(await call('lab_tally'));
}
expect(running, 'the call has not arrived');
await press(tab, 'Stop');
await notice('The call was cancelled.');
expect((await text(tab, '#pane-Result')).includes('lab.linger gave no result'), 'the call is still shown as running');

await tab.evaluate(() => {
    location.hash = '#/history';
});
await tab.waitForSelector('.calls tr');
const isRecorded = () => tab.$$eval('.calls tr', rows => rows.some(row => row.textContent.includes('lab.linger') && row.textContent.includes('CANCELLED')));
// Each look waits for its answer: another one would begin it anew.
for (const begun = Date.now(); Date.now() - begun < 60_000 && !await isRecorded();) {
    const answered = tab.waitForResponse(response => response.url().includes('/api/history'));
    await press(tab, 'Refresh');
    await (await answered).text();
}
expect(await isRecorded(), 'the history does not show the cancelled call');
await go('lab.echo');

// A role that hides an operation is named
await press(tab, 'onlooker');
await tab.waitForFunction(() => ![...document.querySelectorAll('.items code')].some(code => code.textContent === 'lab.furnish'));
await tab.evaluate(() => {
    location.hash = '#/op/lab.furnish';
});
await tab.waitForFunction(() => document.querySelector('#pane-Operation .lead')?.textContent.includes('under the role onlooker'));

// A new tab has no token, and the user of `browse` no way to make one
const other = await open();
await other.goto(page);
await other.waitForSelector('.sign-in');
const hint = await text(other, '.sign-in');
expect(hint.includes('browse') && !hint.includes('token new'), `a new tab says ${hint}`);

await done();
