/** How the page looks, by day and by night. */
export const pageStyle = `:root {
  color-scheme: light dark;
  font: 15px/1.5 system-ui, sans-serif;
  --paper: light-dark(#f6f7f9, #16181c);
  --card: light-dark(#fff, #1e2126);
  --ink: light-dark(#1b1d22, #e6e8ec);
  --faint: light-dark(#5a606b, #a2a9b4);
  --line: light-dark(#d6dae1, #3a3f48);
  --accent: light-dark(#0b57d0, #8ab4f8);
  --on-accent: light-dark(#fff, #10203a);
  --bad: light-dark(#a8181b, #ff9a94);
  --warn: light-dark(#8a5300, #f0bd66);
  --good: light-dark(#17682f, #7fd596);
  --code-key: light-dark(#0b4f9e, #8fc0ff);
  --code-text: light-dark(#1c6b34, #9bd8a8);
  --code-number: light-dark(#8f3d00, #f2b27f);
  --code-comment: light-dark(#69707c, #9098a5);
  --code-mark: light-dark(#e7eefb, #29303c);
  background: var(--paper);
  color: var(--ink);
}
body { margin: 0 auto; max-width: 90rem; padding: 0 1.2rem 3rem; }
[hidden] { display: none !important; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem 1.5rem; min-height: 3.4rem; border-bottom: 1px solid var(--line); margin-bottom: 1rem; }
h1 { margin: 0; font-size: 1.15rem; }
h1 span { font-weight: 400; color: var(--faint); }
h2 { margin: 0; font-size: 1.15rem; overflow-wrap: anywhere; }
h3 { margin: 0 0 .5rem; font-size: 1rem; }
#message { flex: 1; margin: 0; min-height: 1.5em; overflow-wrap: anywhere; white-space: pre-line; }
.bad { color: var(--bad); }
.warn { color: var(--warn); }
.good { color: var(--good); }
.note, #version { color: var(--faint); margin: 0; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .8rem; margin-bottom: .8rem; }
.bar label { margin: 0 0 0 auto; display: flex; align-items: center; gap: .5rem; }
.stretch { flex: 1; }
#enter { max-width: 24rem; margin: 3rem auto; padding: 1.4rem 1.6rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
label { display: block; margin: .7rem 0; }
input, button, .button { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: .35rem; background: var(--card); padding: .3rem .7rem; }
input { box-sizing: border-box; border-color: var(--faint); }
form input:not([type=checkbox]) { display: block; width: 100%; }
button, .button { cursor: pointer; text-decoration: none; line-height: 1.5; display: inline-block; }
button:hover:not(:disabled), .button:hover { border-color: var(--accent); }
button:disabled { cursor: default; color: var(--faint); }
button.main:not(:disabled), .button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.small { padding: 0 .5rem; font-size: .9rem; margin-right: .3rem; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .45rem .8rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child > * { border-bottom: 0; }
thead th { font-weight: 500; color: var(--faint); white-space: nowrap; }
tbody th { font-weight: 600; overflow-wrap: anywhere; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.acts { white-space: nowrap; }
a { color: var(--accent); }
.columns { display: grid; grid-template-columns: minmax(0, 3fr) minmax(16rem, 1fr); gap: 1.2rem; }
@media (max-width: 60rem) { .columns { grid-template-columns: minmax(0, 1fr); } }
#editor { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; }
#summary { margin: 0 0 .5rem; }
#problems { list-style: none; margin: 0; padding: 0; max-height: 26rem; overflow-y: auto; }
#problems button { display: block; width: 100%; text-align: left; margin-bottom: .4rem; border-left: .25rem solid var(--warn); overflow-wrap: anywhere; }
#problems button.error { border-left-color: var(--bad); }
#problems small { display: block; color: var(--faint); }
section > section, .columns { margin-bottom: 1.4rem; }
figure { margin: 0 0 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem 1rem 1rem; }
figcaption { font-weight: 600; margin-bottom: .3rem; overflow-wrap: anywhere; }
figure .view { overflow-x: auto; }
figure svg { display: block; }
figure details { margin-top: .6rem; }
figure ol { margin: .3rem 0 0; }
figure li button { border: 0; padding: 0; background: none; color: var(--accent); text-align: left; overflow-wrap: anywhere; }
svg .node { cursor: pointer; }
svg .node rect { stroke: var(--faint); fill: light-dark(#f1f2f5, #2b2f36); }
svg .input rect { fill: light-dark(#dfecfb, #1d3350); }
svg .output rect { fill: light-dark(#e0f2e5, #1d3a27); }
svg .dead-letter rect { fill: light-dark(#fae3e1, #4a2422); }
svg .node:hover rect, svg .node:focus-visible rect { stroke: var(--accent); stroke-width: 2.5; }
svg .node:focus-visible { outline: none; }
svg text { fill: var(--ink); }
svg .label, svg .detail, svg .edge-label { fill: var(--faint); }
svg .edge { stroke: var(--faint); }
svg .arrow { fill: var(--faint); }
#tail .bar { margin-bottom: .4rem; }
#tail h3 { margin: 0; }
#messages { list-style: none; margin: 0; padding: 0; max-height: 30rem; overflow-y: auto; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
#messages li { padding: .5rem .8rem; border-bottom: 1px solid var(--line); }
#messages pre { margin: .2rem 0; font: 13.5px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
#messages p { margin: 0; font-size: .9rem; }
#messages dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: .3rem 0; font-size: .9rem; }
#messages dd { margin: 0; overflow-wrap: anywhere; }
dialog { max-width: 34rem; width: calc(100% - 4rem); box-sizing: border-box; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1.2rem 1.4rem; }
dialog::backdrop { background: #0008; }
#answers { display: flex; flex-wrap: wrap; gap: .6rem; }
.hidden { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;
