// Generated from pages/admin/ by scripts/generate-options.ts. Do not edit.

/** What the page does in a browser. */
export const pageScript = `"use strict";(()=>{function c(e){let t=document.getElementById(e);if(t===null)throw new TypeError(\`there is no #\${e}\`);return t}function f(e,...t){
let n=document.createElement(e);return n.append(...t),n}function p(e,t,n=""){e.textContent!==t&&(e.textContent=
t),e.className!==n&&(e.className=n)}async function v(e,t,n={}){let{body:r,type:o="application/json",headers:i={},signal:s}=n,a=await fetch(t,{method:e,
cache:"no-store",headers:{...r!==void 0&&{"content-type":o},...i},...r!==void 0&&{body:r},...s&&{signal:s}}),{
status:d,ok:l}=a;return{status:d,isOk:l,text:await a.text(),etag:a.headers.get("etag")??void 0}}function m(e,t){return{inside:[e],...t!==void 0&&{className:t}}}function w(e,t){let[n]=e.tBodies,r=new Map([...n?.
rows??[]].map(a=>[a.dataset.key??"",a])),o=[...t].map(([a,d])=>{let l=j(a,d),g=r.get(a);return g===void 0?l:(d.
forEach((R,$)=>{let[b,y]=[g.cells[$],l.cells[0]];y!==void 0&&b!==void 0&&!b.isEqualNode(y)?b.replaceWith(y):y?.
remove()}),g)});o.length===n?.rows.length&&o.every((a,d)=>n.rows[d]===a)||n?.replaceChildren(...o);let s=e.parentElement;
s?.toggleAttribute("hidden",t.size===0),s?.nextElementSibling?.toggleAttribute("hidden",t.size>0)}function j(e,t){
let n=f("tr");return n.dataset.key=e,t.forEach(({inside:r,className:o=""},i)=>{let s=f(i===0?"th":"td",...r);i===
0&&(s.scope="row"),o!==""&&(s.className=o),n.append(s)}),n}function M(e){let t=e.map(n=>[JSON.stringify(n),L(n)]);w(c("routes"),new Map(t))}function L(e){let{host:t="",path:n,
version:r,transport:o,verbs:i,stream:s,role:a="",api:d,protections:l}=e;return[\`\${t}\${n}\${r===void 0?"":\` (\${r}\\
)\`}\`,o==="websocket"?"WebSocket":i.join(", ")||"all others",s===void 0?"upstream":\`\${s} (\${a.replace("_"," ")}\\
)\`,d,N(e),l.join(", ")].map(R=>m(R))}function N({callers:e,policies:t=[]}){let n=[...new Set(Object.values(e))],
r=n.length===1?n:Object.entries(e).map(i=>i.join(": ")),o=n.every(i=>i==="open");return r.join("; ")+(o||t.length===
0?"":\`; policies: \${t.join(", ")}\`)}var O=["received","delivered","failed"],H=["running","waiting","finished"],A=["failed","blocked"],x=new Map;function C(e,t){
let n=e.map(r=>[S(r),I(r,t)]);w(c("streams"),new Map(n)),x=new Map(e.map(r=>[S(r),{messages:r.messages,at:t}]))}
function k(){x=new Map}function S({api:e,stream:t,instance:n,worker:r}){return JSON.stringify([e,t,n,r])}function I(e,t){
let{api:n,status:r,reason:o,messages:i,clients:s,lag:a}=e,d=(l="")=>m(String(l),"number");return[m(n),m(P(e)),
m(o===void 0?r:\`\${r}: \${o}\`,H.includes(r)?"ok":A.includes(r)?"bad":"odd"),...O.map(l=>d(J(e,l,t))),...[...O,"i\\
nFlight"].map(l=>d(i[l])),d(s),d(a)]}function P({stream:e,instance:t,worker:n}){let r=[e];return t!==void 0&&r.
push(\`instance \${t}\`),n!==void 0&&r.push(\`worker \${n}\`),r.join(", ")}function J(e,t,n){let r=x.get(S(e));if(r===
void 0||e.messages[t]<r.messages[t])return"";let o=(e.messages[t]-r.messages[t])*1e3/(n-r.at);return o===0?"0":
o<10?o.toFixed(1):String(Math.round(o))}var Q=2e3,E,u=!1;async function T(e){let{status:t,isOk:n,text:r}=await v("GET",e);if(!n&&t!==503)throw new Error(
\`\${e} answers \${t}\`);return JSON.parse(r)}function z({reasons:e=[],notes:t=[]}){let n=e.length===0,r=[...e,...t];
p(c("ready"),n?"Ready":"Not ready",n?"ok":"bad");let o=c("reasons");for(o.hidden=r.length===0;o.children.length>
r.length;)o.lastElementChild?.remove();for(;o.children.length<r.length;)o.append(f("li"));o.querySelectorAll("\\
li").forEach((i,s)=>{p(i,r[s]??"")})}async function h(){clearTimeout(E);try{let[e,{streams:t},{routes:n}]=await Promise.
all([T("/readyz"),T("/streams"),T("/routes")]);z(e),C(t,performance.now()),M(n),p(c("updated"),\`as of \${new Date().
toLocaleTimeString()}\`)}catch{p(c("ready"),"The gateway does not answer","bad"),k()}!u&&!document.hidden&&(E=setTimeout(
h,Q))}c("pause").addEventListener("click",()=>{u=!u,c("pause").setAttribute("aria-pressed",String(u)),clearTimeout(
E),u||h()});document.addEventListener("visibilitychange",()=>{!document.hidden&&!u&&h()});h();})();
`;
