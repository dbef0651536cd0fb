// What makes a page easier to use: the theme, the menu on narrow screens, buttons that copy, tabs, and the filters of
// the matrix. The page says all without it.
'use strict';

(() => {
    const root = document.documentElement;

    function element(name, properties, ...children) {
        const made = Object.assign(document.createElement(name), properties);
        made.append(...children);
        return made;
    }

    function stored(key) {
        try {
            return localStorage.getItem(key);
        } catch {
            return null;
        }
    }

    function store(key, value) {
        try {
            localStorage.setItem(key, value);
        } catch {
            // The choice then lasts until the page is left.
        }
    }

    // The theme

    const themeButton = document.getElementById('theme');
    const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');

    function isDark() {
        return root.dataset.theme ? root.dataset.theme === 'dark' : prefersDark.matches;
    }

    function nameTheme() {
        themeButton.textContent = isDark() ? 'Light' : 'Dark';
        themeButton.setAttribute('aria-label', isDark() ? 'Light theme' : 'Dark theme');
    }

    themeButton.hidden = false;
    nameTheme();
    prefersDark.addEventListener('change', nameTheme);
    themeButton.addEventListener('click', () => {
        root.dataset.theme = isDark() ? 'light' : 'dark';
        store('toolwrit-theme', root.dataset.theme);
        nameTheme();
    });

    // The menu

    const menu = document.getElementById('menu');
    const pages = document.getElementById('pages');
    if (menu && pages) {
        const show = open => {
            menu.setAttribute('aria-expanded', String(open));
            pages.classList.toggle('open', open);
        };
        menu.addEventListener('click', () => show(menu.getAttribute('aria-expanded') !== 'true'));
        document.addEventListener('keydown', event => {
            if (event.key === 'Escape' && pages.classList.contains('open')) {
                show(false);
                menu.focus();
            }
        });
        const current = pages.querySelector('[aria-current]');
        if (current && pages.scrollHeight > pages.clientHeight) {
            pages.scrollTop = current.offsetTop - pages.clientHeight / 3;
        }
    }

    // Copying

    /** How long a button says that it has copied, in milliseconds. */
    const SAID = 1500;

    /** The text to copy: of a session, only the commands. */
    function copied(code) {
        const text = code.textContent;
        if (!code.classList.contains('language-console')) {
            return text.replace(/\n$/, '');
        }
        return text.split('\n').filter(line => line.startsWith('$ ')).map(line => line.slice(2)).join('\n');
    }

    for (const code of navigator.clipboard ? document.querySelectorAll('pre > code') : []) {
        const button = element('button', { type: 'button', className: 'copy', textContent: 'Copy' });
        button.addEventListener('click', async () => {
            try {
                await navigator.clipboard.writeText(copied(code));
                button.textContent = 'Copied';
            } catch {
                button.textContent = 'Not allowed';
            }
            window.setTimeout(() => { button.textContent = 'Copy'; }, SAID);
        });
        const frame = element('div', { className: 'copied' });
        code.parentElement.replaceWith(frame);
        frame.append(code.parentElement, button);
    }

    // Tabs. A choice is the same for all groups and for the next page.

    const groups = [];

    function choose(name) {
        for (const group of groups) {
            if (!group.some(({ tab }) => tab.textContent === name)) {
                continue;
            }
            for (const { tab, panel } of group) {
                const isChosen = tab.textContent === name;
                tab.setAttribute('aria-selected', String(isChosen));
                tab.tabIndex = isChosen ? 0 : -1;
                panel.hidden = !isChosen;
            }
        }
    }

    function onKey(event, group, at) {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const ends = { Home: 0, End: group.length - 1 }[event.key];
        const next = step ? (at + step + group.length) % group.length : ends;
        if (next !== undefined) {
            event.preventDefault();
            const { tab } = group[next];
            choose(tab.textContent);
            store('toolwrit-tab', tab.textContent);
            tab.focus();
        }
    }

    document.querySelectorAll('.tabs').forEach((tabs, number) => {
        const list = element('div', { className: 'tablist', role: 'tablist' });
        list.setAttribute('aria-label', 'Forms of the call');
        const group = [...tabs.children].map((panel, at) => {
            const name = panel.dataset.name;
            const id = `tabs-${number}-${at}`;
            const tab = element('button', { type: 'button', role: 'tab', id: `${id}-tab`, textContent: name });
            tab.setAttribute('aria-controls', id);
            Object.assign(panel, { id, role: 'tabpanel' });
            panel.setAttribute('aria-labelledby', tab.id);
            panel.querySelector('h3').remove();
            return { tab, panel };
        });
        group.forEach(({ tab }, at) => {
            tab.addEventListener('click', () => {
                choose(tab.textContent);
                store('toolwrit-tab', tab.textContent);
            });
            tab.addEventListener('keydown', event => onKey(event, group, at));
        });
        list.append(...group.map(({ tab }) => tab));
        tabs.prepend(list);
        groups.push(group);
        choose(group[0].tab.textContent);
    });
    if (stored('toolwrit-tab')) {
        choose(stored('toolwrit-tab'));
    }

    // Scroll areas are reached by keyboard only while they scroll.

    function reach() {
        for (const area of document.querySelectorAll('.scroll, pre')) {
            if (area.scrollWidth > area.clientWidth) {
                area.tabIndex = 0;
            } else {
                area.removeAttribute('tabindex');
            }
        }
    }
    reach();
    window.addEventListener('resize', reach);

    // The matrix

    function filters(table) {
        const heads = [...table.tHead.rows[0].cells];
        const rows = [...table.tBodies[0].rows];
        const told = element('p', { className: 'told' });
        told.setAttribute('role', 'status');

        function select(label, options) {
            const made = element('select', {}, element('option', { value: '', textContent: 'all' }),
                ...options.map(([value, text]) => element('option', { value, textContent: text })));
            made.addEventListener('change', apply);
            return { made, row: element('label', {}, `${label} `, made) };
        }

        const columns = group => heads.flatMap((head, at) =>
            head.dataset.group === group ? [[String(at), head.textContent]] : []);
        const focus = select('Focus mode', columns('focus'));
        const role = select('Role', columns('role'));
        const effect = select('Effect', ['read', 'write', 'destroy'].map(name => [name, name]));

        function apply() {
            let shown = 0;
            for (const row of rows) {
                const allows = ({ made }) => !made.value || row.cells[made.value].textContent === 'yes';
                const has = !effect.made.value || row.querySelector(`.badge.${effect.made.value}`);
                row.hidden = !(allows(focus) && allows(role) && has);
                shown += row.hidden ? 0 : 1;
            }
            told.textContent = `${shown} of ${rows.length} operations`;
        }

        apply();
        return element('div', { className: 'filters' }, focus.row, role.row, effect.row, told);
    }

    for (const table of document.querySelectorAll('table.matrix')) {
        const heads = [...table.tHead.rows[0].cells].map(head => head.textContent);
        for (const row of table.tBodies[0].rows) {
            [...row.cells].forEach((cell, at) => { cell.dataset.label = heads[at]; });
        }
        table.parentElement.before(filters(table));
    }
})();
