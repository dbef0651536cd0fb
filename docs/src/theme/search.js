// The search field. `find` ranks the entries of the index by BM25F, with beginnings of words and small mistakes in
// typing. Where a server has the site, it finds the operations, and the index has the other pages.
'use strict';

globalThis.toolwritSearch = (() => {
    /** How much a word in each part of an entry counts, and where these parts come from. */
    const PARTS = [
        [7, entry => [entry.title, ...(entry.names || [])]],
        [4, entry => entry.parameters || []],
        [3, entry => entry.asks || []],
        [2, entry => entry.synonyms || []],
        [3, entry => [entry.summary || '']],
        [1, entry => [entry.words || '']],
    ];
    /** The constants of BM25: how fast repetition stops to count, and how much length does. */
    const REPETITION = 1.2;
    const LENGTH = 0.6;
    /** How much the beginning of a word and a word with a mistake count. */
    const BEGINNING = 0.6;
    const MISTAKE = 0.4;
    /** What operations gain over pages about them. */
    const OPERATION = 1.5;
    /** What an entry gains whose summary, or one of whose asks, has the words of the query and no others. */
    const WHOLE = 0.6;
    /** What an operation gains whose name is the query. */
    const NAMED = 3;

    const IGNORED = new Set(('a about an and are as at be by can do for from how i if in into is it its me my ' +
        'of on or our please some that the their this to was we what which with you your').split(' '));

    /** The form in which words are compared: without the most common endings. */
    function stem(word) {
        if (word.length > 4 && word.endsWith('ies')) {
            return word.slice(0, -3) + 'y';
        }
        if (word.length > 5 && word.endsWith('ing')) {
            return word.slice(0, -3).replace(/([^aeiouls])\1$/, '$1').replace(/e$/, '');
        }
        if (word.length > 4 && word.endsWith('ed')) {
            return word.slice(0, -2).replace(/([^aeiouls])\1$/, '$1');
        }
        const one = word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
        return one.length > 3 ? one.replace(/e$/, '') : one;
    }

    /** The words of a text: names such as `if_match` both whole and in pieces. */
    function words(text) {
        const found = [];
        for (const [name] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+(?:[._-][\p{L}\p{N}]+)*/gu)) {
            const pieces = name.split(/[._-]/);
            if (pieces.length > 1) {
                found.push(name);
            }
            found.push(...pieces.filter(piece => !IGNORED.has(piece)).map(stem));
        }
        return found;
    }

    /** Prepares entries for `find`. */
    function prepare(entries) {
        const postings = new Map();
        const lengths = PARTS.map(() => 0);
        const counts = entries.map((entry, at) => PARTS.map(([, of], part) => {
            const own = of(entry).flatMap(words);
            lengths[part] += own.length;
            for (const word of own) {
                const places = postings.get(word) || postings.set(word, new Map()).get(word);
                const tallies = places.get(at) || places.set(at, PARTS.map(() => 0)).get(at);
                tallies[part] += 1;
            }
            return own.length;
        }));
        const means = lengths.map(length => Math.max(1, length / Math.max(1, entries.length)));
        const sentences = entries.map(entry =>
            [entry.summary || '', ...(entry.asks || [])].map(sentence => new Set(words(sentence))));
        return { entries, postings, counts, means, sentences, vocabulary: [...postings.keys()].sort() };
    }

    /** The largest share of a sentence's words that the query has. */
    function share(sentences, asked) {
        return Math.max(0, ...sentences.filter(own => own.size > 0).map(own =>
            [...own].filter(word => asked.includes(word)).length / own.size));
    }

    /** Whether one word becomes the other by one letter more, less, other or exchanged with the next. */
    function isNear(one, other) {
        if (Math.abs(one.length - other.length) > 1 || one === other) {
            return false;
        }
        let start = 0;
        while (start < one.length && one[start] === other[start]) {
            start += 1;
        }
        const [left, right] = [one.slice(start), other.slice(start)];
        return left.slice(1) === right.slice(1) || left.slice(1) === right || left === right.slice(1) ||
            (left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2));
    }

    /** The words of the index that a word of the query means, with how much each counts. */
    function meant(index, word, isLast) {
        const found = new Map();
        if (index.postings.has(word)) {
            found.set(word, 1);
        }
        if (word.length >= 2 && (isLast || found.size === 0)) {
            let low = 0;
            let high = index.vocabulary.length;
            while (low < high) {
                const middle = (low + high) >> 1;
                [low, high] = index.vocabulary[middle] < word ? [middle + 1, high] : [low, middle];
            }
            for (let at = low; at < index.vocabulary.length && index.vocabulary[at].startsWith(word); at += 1) {
                const own = index.vocabulary[at];
                if (own !== word) {
                    found.set(own, BEGINNING * word.length / own.length);
                }
            }
        }
        if (found.size === 0 && word.length >= 4) {
            index.vocabulary.filter(own => isNear(word, own)).forEach(own => found.set(own, MISTAKE));
        }
        return found;
    }

    function rank(index, word, at, tallies, scores) {
        let weight = 0;
        PARTS.forEach(([factor], part) => {
            const length = 1 - LENGTH + LENGTH * index.counts[at][part] / index.means[part];
            weight += factor * tallies[part] / length;
        });
        const all = index.entries.length;
        const having = index.postings.get(word).size;
        const rarity = Math.log(1 + (all - having + 0.5) / (having + 0.5));
        return rarity * weight / (REPETITION + weight) * scores;
    }

    /** The entries that a query finds, best first. */
    function find(index, query, most = 12) {
        const asked = words(query);
        const totals = new Map();
        asked.forEach((word, position) => {
            const best = new Map();
            for (const [own, share] of meant(index, word, position === asked.length - 1)) {
                for (const [at, tallies] of index.postings.get(own)) {
                    const score = rank(index, own, at, tallies, share);
                    best.set(at, Math.max(best.get(at) || 0, score));
                }
            }
            for (const [at, score] of best) {
                const total = totals.get(at) || { score: 0, words: 0 };
                totals.set(at, { score: total.score + score, words: total.words + 1 });
            }
        });
        const scored = [...totals].map(([at, { score, words: matched }]) => {
            const entry = index.entries[at];
            const whole = 1 + WHOLE * share(index.sentences[at], asked);
            const names = entry.kind === 'operation' ? [entry.title, ...(entry.names || [])] : [];
            const isNamed = names.includes(query.trim().toLowerCase()) ? NAMED : 1;
            const kind = entry.kind === 'operation' ? OPERATION : 1;
            return { entry, score: score * matched / asked.length * whole * isNamed * kind };
        });
        scored.sort((one, other) => other.score - one.score);
        return scored.slice(0, most).map(({ entry }) => entry);
    }

    return { prepare, find };
})();

globalThis.document && (() => {
    const field = document.getElementById('query');
    const found = document.getElementById('found');
    const told = document.getElementById('told');
    const results = document.getElementById('results');
    const { root, served } = document.body.dataset;
    const isServed = served !== undefined;

    /** For typing to pause before the server is asked, in milliseconds. */
    const PAUSE = 120;

    let index = null;
    let waiting = 0;
    let request = new AbortController();

    function element(name, className, ...children) {
        const made = document.createElement(name);
        made.className = className;
        made.append(...children);
        return made;
    }

    function item({ page, title, summary, badges = [] }) {
        const link = element('a', '', element('span', 'title', title),
            ...badges.flatMap(badge => [' ', element('span', `badge ${badge}`, badge)]),
            element('span', 'teaser', summary || ''));
        link.href = root + page;
        return element('li', '', link);
    }

    function counted(count, one) {
        return `${count} ${one}${count === 1 ? '' : 's'}`;
    }

    function show(items, words) {
        results.replaceChildren(...items.map(item));
        told.replaceChildren(words);
        found.hidden = field.value.trim() === '';
    }

    /** What the index has of a query. */
    function local(query) {
        index = index || toolwritSearch.prepare(globalThis.toolwritIndex || []);
        return toolwritSearch.find(index, query).map(entry => ({
            page: entry.page,
            title: entry.title,
            summary: entry.summary,
            badges: [entry.kind],
        }));
    }

    function showLocal(query) {
        const own = local(query);
        show(own, own.length === 0 ? 'Nothing matches.' : counted(own.length, 'result'));
    }

    /** Operations as the server ranks them, between the pages that the query names and the other pages. */
    function showServed(query, answer) {
        const others = local(query);
        const isNamed = own => own.title.toLowerCase().startsWith(query.toLowerCase());
        const operations = answer.operations.map(own => ({
            page: own.page,
            title: own.id,
            summary: own.summary,
            badges: [own.effect, own.relevance, ...(own.deprecated ? ['deprecated'] : [])],
        }));
        const words = operations.length + others.length === 0
            ? 'Nothing matches.'
            : `${counted(answer.total, 'operation')}, ${counted(others.length, 'other page')}.`;
        show([...others.filter(isNamed), ...operations, ...others.filter(own => !isNamed(own))], words);
    }

    async function ask(query) {
        request.abort();
        request = new AbortController();
        const { signal } = request;
        let answer = null;
        try {
            const response = await fetch(`${root}search?q=${encodeURIComponent(query)}`, { signal });
            answer = response.ok ? await response.json() : null;
        } catch {
            // Another query has taken its place, or the server is gone.
        }
        if (signal.aborted) {
            return;
        }
        if (answer) {
            showServed(query, answer);
        } else {
            showLocal(query);
        }
    }

    function typed() {
        window.clearTimeout(waiting);
        const query = field.value.trim();
        if (query === '') {
            request.abort();
            show([], '');
        } else if (isServed) {
            waiting = window.setTimeout(() => ask(query), PAUSE);
        } else {
            showLocal(query);
        }
    }

    function move(event) {
        const links = [...results.querySelectorAll('a')];
        const at = links.indexOf(document.activeElement);
        const next = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
        if (next !== undefined && !found.hidden) {
            event.preventDefault();
            (links[next] || field).focus();
        } else if (event.key === 'Enter' && at < 0 && links.length > 0) {
            links[0].click();
        } else if (event.key === 'Escape') {
            found.hidden = true;
            field.focus();
        }
    }

    field.addEventListener('input', typed);
    field.addEventListener('focus', () => { found.hidden = field.value.trim() === ''; });
    field.parentElement.addEventListener('keydown', move);
    document.addEventListener('click', event => {
        if (!field.parentElement.contains(event.target)) {
            found.hidden = true;
        }
    });
    document.addEventListener('keydown', event => {
        const isTyping = event.target.closest?.('input, textarea, select');
        if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            field.focus();
        }
    });
})();
