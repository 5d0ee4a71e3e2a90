// Runs in the frame of the mutation report, after the viewer: C gets its colours, and caught variants are shown.
"use strict";
{
    // The viewer knows no C. What it does not know it shows as the language "plain".
    Prism.languages.plain = Prism.languages.extend("clike", {
        keyword: /\b(?:auto|bool|break|case|char|const|continue|default|do|double|else|enum|extern|float|for|if|int|long|return|short|signed|sizeof|static|struct|switch|typedef|union|unsigned|void|volatile|while)\b/,
        macro: { pattern: /^[ \t]*#[a-z]+.*/m, alias: "property" },
    });

    const app = document.querySelector("mutation-test-report-app");
    const report = JSON.parse(document.getElementById("report-json").textContent);
    const file = Object.keys(report.files)[0];
    app.titlePostfix = "Broken variants";
    app.report = report;
    location.hash = "#mutant/" + encodeURIComponent(file);

    const paint = () => {
        document.body.style.background = app.themeBackgroundColor;
    };
    app.addEventListener("theme-changed", paint);
    paint();

    // Every element below a root, through the roots that lie inside.
    const all = (root, selector) => {
        const found = [...root.querySelectorAll(selector)];
        for (const element of root.querySelectorAll("*")) {
            if (element.shadowRoot) {
                found.push(...all(element.shadowRoot, selector));
            }
        }
        return found;
    };

    // The viewer leaves out what was caught until its box is ticked; here that is what one wants to see.
    let tries = 0;
    const show = () => {
        const filters = all(document, "mte-state-filter");
        const boxes = filters.flatMap((filter) => all(filter.shadowRoot ?? filter, "input[type=checkbox]"));
        if (boxes.length === 0 && tries++ < 100) {
            setTimeout(show, 50);
            return;
        }
        boxes.filter((box) => !box.checked).forEach((box) => box.click());
        setTimeout(tell, 100);
    };
    const tell = () => {
        const shown = new Set(all(document, ".mutant").map((place) => place.dataset.mutantId)).size;
        const coloured = all(document, ".token.keyword").length;
        parent.postMessage("variants " + shown + ", keywords " + coloured, "*");
    };
    show();
}
