/** How the page looks, by day and by night. */
export const pageStyle = `:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 78rem; padding: 1rem; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1.5rem; }
h1 { margin: 0; font-size: 1.4rem; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.1rem; }
header p { margin: 0; }
.tools { margin-left: auto; }
#updated { color: light-dark(#555, #aaa); }
#ready { font-weight: 600; }
#ready.ok, td.ok { color: light-dark(#0a6b2b, #6fd18c); }
#ready.bad, td.bad { color: light-dark(#a31414, #ff8f8f); }
td.odd { color: light-dark(#7a4b00, #f0b95a); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .3rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid light-dark(#ddd, #444); }
th[scope=row] { font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
button { font: inherit; }
:focus-visible { outline: 2px solid light-dark(#0b57d0, #8ab4f8); outline-offset: 2px; }
`;
