// Sets the theme that the reader chose, before the page is drawn. Other scripts of the site come later.
'use strict';

(() => {
    const root = document.documentElement;
    root.classList.add('js');
    let chosen = null;
    try {
        chosen = localStorage.getItem('toolwrit-theme');
    } catch {
        // A browser may forbid storage.
    }
    if (chosen === 'dark' || chosen === 'light') {
        root.dataset.theme = chosen;
    }
})();
