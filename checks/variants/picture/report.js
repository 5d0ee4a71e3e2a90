// Makes the frame of the mutation report from what waits in the page. It sets data-report on the page's
// root element to what is shown in the end: tests read it there.
"use strict";
{
    const text = (id) => document.getElementById(id).textContent;
    const script = (code) => "<script>" + code + "</" + "script>";
    const frame = document.querySelector("#report iframe");
    const page =
        "<!doctype html><meta charset=utf-8><title>Mutation report</title><style>body{margin:0}</style>" +
        "<mutation-test-report-app></mutation-test-report-app>" +
        "<script type=application/json id=report-json>" + text("report-json") + "</" + "script>" +
        script(text("viewer")) + script(text("frame-script"));
    addEventListener("message", (event) => {
        if (event.source === frame.contentWindow) {
            document.documentElement.dataset.report = event.data;
        }
    });
    // A document of its own: the viewer keeps its place in the fragment of the address, and takes the title.
    frame.srcdoc = page;
    frame.hidden = false;
}
