/** How the page looks, by day and by night. */
export const pageStyle = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 70rem; padding: 1rem; }
[hidden] { display: none !important; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1.5rem; }
h1 { margin: 0; font-size: 1.4rem; }
h2 { margin: 1.2rem 0 .5rem; font-size: 1.1rem; }
h3 { margin: 1rem 0 .3rem; font-size: 1rem; }
header p { margin: 0 0 0 auto; }
#message { min-height: 1.5em; margin: .5rem 0; }
#message.bad, .bad { color: light-dark(#a31414, #ff8f8f); }
#enter { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: 1rem 3rem; }
label { display: block; margin: .4rem 0; }
input, select, button { font: inherit; }
input:not([type=checkbox]) { display: block; width: 100%; max-width: 24rem; box-sizing: border-box; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .35rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid light-dark(#ddd, #444); }
th[scope=row] { font-weight: 600; }
td button { margin: 0 .3rem .2rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
#secret dd { font-family: ui-monospace, monospace; }
article { border: 1px solid light-dark(#ccc, #555); border-radius: .3rem; padding: .3rem 1rem .8rem; margin: .6rem 0; }
dialog { max-width: 40rem; }
.hidden { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
:focus-visible { outline: 2px solid light-dark(#0b57d0, #8ab4f8); outline-offset: 2px; }
`;
