// Signs in at an authorization server. The arguments are the address of the page, and that of the authorization server,
// which behaves as the query `next` of its address `/next` says.
import { checkAll, done, expect, meant, open, press, text } from './driver.mjs';

const [page, issuer] = process.argv.slice(2);
const host = new URL(issuer).host;

const next = what => fetch(`${issuer}/next?${what}`);
const button = `Sign in at ${host}`;
const token = tab => tab.evaluate(() => sessionStorage.getItem('toolwrit-token'));
const fault = (tab, words) => tab.waitForFunction(part => document.querySelector('.sign-in .fault')?.textContent.includes(part), {}, words);

async function signIn(tab, place = '') {
    await tab.goto(`${page}${place}`);
    await tab.waitForSelector('.sign-in');
    await press(tab, button);
}

// The whole way: the place that the address named is shown after it, and the token stays in this tab
const tab = await open();
await tab.goto(`${page}#/op/lab.echo`);
await tab.waitForSelector('.sign-in');
await checkAll(tab, 'sign-in-oauth');
await signIn(tab, '#/op/lab.echo');
await tab.waitForFunction(() => document.querySelector('.operation h2')?.textContent.startsWith('lab.echo'));
expect(tab.url() === `${page}#/op/lab.echo`, `the address is ${tab.url()}`);
expect((await text(tab, '#who')).includes('alice'), 'the user is not named');
expect((await token(tab)).split('.').length === 3, 'no token is kept');
expect(await tab.evaluate(() => sessionStorage.getItem('toolwrit-sign-in')) === null, 'the sign-in is still kept');
expect(await tab.evaluate(() => document.cookie + localStorage.length) === '0', 'something is kept beyond the tab');
await tab.type('.operation textarea[aria-label=text]', 'heard');
await press(tab, 'Run');
await tab.waitForFunction(() => document.querySelector('.result')?.textContent.includes('ok lab.echo'));
// The page may reach nothing but its server and the authorization server.
const policy = (await (await fetch(page)).headers.get('content-security-policy')).split('; ');
expect(policy.includes(`connect-src 'self' ${issuer}`), `the policy is ${policy}`);

// An answer of another sign-in, one that names another authorization server, and a refusal
for (const [what, words] of [
    ['state=other', 'does not belong to a sign-in of this tab'],
    ['iss=https://other.example', 'is not from'],
    ['iss=', 'is not from'],
    ['error=access_denied', 'You have not allowed it'],
    ['error=server_error', 'refused: server_error'],
    ['verifier=wrong', 'refused: invalid_grant'],
]) {
    await next(what);
    const other = await open();
    await signIn(other);
    await fault(other, words);
    expect(await token(other) === null, `${what} gave a token`);
    expect(!other.url().includes('callback'), `${what}: the address is ${other.url()}`);
    await other.close();
}

// A callback that nobody has asked for
const stranger = await open();
await stranger.goto(`${page}callback?code=one&state=two`);
await fault(stranger, 'does not belong to a sign-in of this tab');
expect(await token(stranger) === null, 'a foreign code gave a token');
await stranger.close();

// A token that has expired, and the way back
meant([401]);
await next('expired');
const late = await open();
await signIn(late);
await fault(late, 'has expired');
expect(await token(late) === null, 'the expired token is still kept');
await next('');
await press(late, button);
await late.waitForSelector('.items a');
await late.close();

// An authorization server without PKCE is not used
meant([]);
await next('plain');
const plain = await open();
await signIn(plain);
await fault(plain, 'does not offer PKCE');
await plain.close();

await done();
