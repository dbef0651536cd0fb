// The search field of a site that a server sends: the server finds operations by meaning, and
// mdBook's own search finds the rest. Where the server does not answer, mdBook's search is as ever.
(() => {
    'use strict';

    const field = document.getElementById('mdbook-searchbar');
    const list = document.getElementById('mdbook-searchresults');
    const results = document.getElementById('mdbook-searchresults-outer');
    const header = document.getElementById('mdbook-searchresults-header');
    if (!field || !list || !results || !header) {
        return;
    }

    /** For typing to pause, in milliseconds. */
    const PAUSE = 120;

    /** What the server said last, and to which query. */
    let answer = null;
    let asked = '';
    let waiting = 0;
    let request = new AbortController();

    // In place of mdBook's header, which counts only its own.
    const status = document.createElement('div');
    status.className = 'searchresults-header operations-found';
    status.setAttribute('role', 'status');
    status.hidden = true;
    header.before(status);

    function element(name, className, ...children) {
        const made = document.createElement(name);
        made.className = className;
        made.append(...children);
        return made;
    }

    function link(page, text) {
        const made = document.createElement('a');
        made.href = path_to_root + page;
        made.textContent = text;
        return made;
    }

    function badge(kind, text) {
        return element('span', 'badge ' + kind, text);
    }

    // An item as mdBook's own are, so that its arrow keys and Enter work on it.
    function item(found) {
        const badges = [badge(found.effect, found.effect), badge('flag', found.relevance)];
        if (found.deprecated) {
            badges.push(badge('deprecated', 'deprecated'));
        }
        return element('li', 'operation',
            link(found.page, found.id), ' ', ...badges.flatMap(each => [each, ' ']),
            element('span', 'teaser', found.summary),
            element('code', 'signature', found.signature));
    }

    function counted(count, one, many) {
        return count + ' ' + (count === 1 ? one : many);
    }

    // What was found in words; where no operation was, the categories that there are.
    function tell() {
        const own = list.querySelectorAll('li.operation').length;
        const others = list.children.length - own;
        const places = others > 0 ? ', and ' + counted(others, 'place', 'places') + ' in other pages' : '';
        if (own > 0) {
            const all = answer.total > own ? own + ' of ' : '';
            status.textContent = all + counted(answer.total, 'operation', 'operations') + places + '.';
            return;
        }
        status.replaceChildren('No operation matches' + places + '.');
        (answer.categories || []).forEach((category, index) => {
            status.append(index === 0 ? ' Operations are about: ' : ', ',
                link(category.page, category.name));
        });
    }

    // Puts the operations before what mdBook found. It empties the list for each search of its own.
    function show() {
        const current = answer !== null && asked === field.value.trim() && asked !== '';
        status.hidden = !current;
        header.hidden = current;
        if (!current) {
            list.querySelectorAll('li.operation').forEach(old => old.remove());
            return;
        }
        if (list.querySelector('li.operation') === null) {
            list.prepend(...answer.operations.map(item));
        }
        tell();
        results.classList.remove('hidden');
    }

    async function ask(query) {
        request.abort();
        request = new AbortController();
        const { signal } = request;
        let found = null;
        try {
            const response = await fetch(path_to_root + 'search?q=' + encodeURIComponent(query), { signal });
            found = response.ok ? await response.json() : null;
        } catch {
            // Another query has taken its place, or the server is gone.
        }
        if (!signal.aborted) {
            observer.disconnect();
            list.querySelectorAll('li.operation').forEach(old => old.remove());
            answer = found;
            asked = query;
            show();
            observe();
        }
    }

    function typed() {
        window.clearTimeout(waiting);
        const query = field.value.trim();
        if (query !== '' && query !== asked) {
            waiting = window.setTimeout(() => ask(query), PAUSE);
        } else {
            // What is still on its way is no longer wanted.
            request.abort();
            show();
        }
    }

    const observer = new MutationObserver(() => {
        observer.disconnect();
        show();
        observe();
    });

    function observe() {
        observer.observe(list, { childList: true });
    }

    observe();
    field.addEventListener('input', typed);
    window.addEventListener('popstate', typed);
    // The address may name a query.
    typed();
})();
