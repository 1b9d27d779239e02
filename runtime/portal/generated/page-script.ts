// Generated from pages/portal/ by scripts/generate-options.ts. Do not edit.

/** What the page does in a browser. */
export const pageScript = `"use strict";(()=>{function o(e){let t=document.getElementById(e);if(t===null)throw new TypeError(\`there is no #\${e}\`);return t}function d(e,...t){
let n=document.createElement(e);return n.append(...t),n}function E(e,t){e.replaceChildren(...t.flatMap(([n,r])=>[d("dt",n),d("dd",r)]))}function m(e,t=!1){let n=o("message");n.textContent=e,n.className=t?"bad":""}function w(e){return m(""),Y(e)}async function Y(e){
try{await e()}catch(t){m(t instanceof Error?t.message:String(t),!0)}}function f(e,t,n){let r=d("button",e);return r.
type="button",t!==""&&r.setAttribute("aria-label",\`\${e}: \${t}\`),r.addEventListener("click",()=>w(n)),r}function h(e,t){
e.addEventListener("submit",n=>{n.preventDefault(),w(t)})}var S=class extends Error{name="Refusal";status;errors;constructor(t,n,r){super(n),this.status=t,this.errors=r}};
async function X(e,t,n={}){let{body:r,type:s="application/json",headers:i={},signal:a}=n,c=await fetch(t,{method:e,
cache:"no-store",headers:{...r!==void 0&&{"content-type":s},...i},...r!==void 0&&{body:r},...a&&{signal:a}}),{
status:l,ok:u}=c;return{status:l,isOk:u,text:await c.text(),etag:c.headers.get("etag")??void 0}}async function P(e,t,n){
let r=await X(e,t,n);if(!r.isOk)throw Z(r);return r}async function T(e,t,n){return JSON.parse((await P(e,t,n)).
text)}function Z({status:e,text:t}){let{Message:n=\`The answer was \${e}.\`,Errors:r=[]}=ee(t),s=r.filter(a=>typeof a==
"object"),i=r.filter(a=>typeof a=="string");return new S(e,[n,...i].join(" "),s)}function ee(e){try{return JSON.
parse(e)}catch{return{}}}function $(e,t,n){o("sure-title").textContent=e,o("sure-text").textContent=t,o("sure-text").hidden=t==="";let r=n.
map(([s,i])=>{let a=d("button",i);return a.value=s,a});return o("answers").replaceChildren(...r),C(o("sure"))}
function C(e){return e.returnValue="",e.showModal(),new Promise(t=>{e.addEventListener("close",()=>t(e.returnValue),
{once:!0})})}function y(e,t){return{inside:[e],...t!==void 0&&{className:t}}}function k(e,t){let[n]=e.tBodies,r=new Map([...n?.
rows??[]].map(c=>[c.dataset.key??"",c])),s=[...t].map(([c,l])=>{let u=te(c,l),b=r.get(c);return b===void 0?u:(l.
forEach((I,A)=>{let[O,v]=[b.cells[A],u.cells[0]];v!==void 0&&O!==void 0&&!O.isEqualNode(v)?O.replaceWith(v):v?.
remove()}),b)});s.length===n?.rows.length&&s.every((c,l)=>n.rows[l]===c)||n?.replaceChildren(...s);let a=e.parentElement;
a?.toggleAttribute("hidden",t.size===0),a?.nextElementSibling?.toggleAttribute("hidden",t.size>0)}function te(e,t){
let n=d("tr");return n.dataset.key=e,t.forEach(({inside:r,className:s=""},i)=>{let a=d(i===0?"th":"td",...r);i===
0&&(a.scope="row"),s!==""&&(a.className=s),n.append(a)}),n}var ne=["enter","administer","develop"];function x(e,t){for(let n of ne)o(n).hidden=n!==e;o("who").textContent=
t,o("leave").hidden=e==="enter"}var re=new Map([["RawKey","Key or user name"],["Password","Password"],["client\\
_id","Client"],["secret","Secret"],["policy_id","Policy"],["redirect_uri","Redirects to"]]);function L(e){let t=Object.
entries(e).flatMap(([n,r])=>{let s=re.get(n);return s===void 0||r===""?[]:[[s,r]]});if(t.length===0){m("The ac\\
cess was added to the key that the developer has.");return}E(o("secret"),t),C(o("credential")).then(()=>o("sec\\
ret").replaceChildren())}function _(e=""){return e.slice(0,10)}function R({approved:e}){return e===!0?"approve\\
d":"waiting"}var D="",g=1;function j(){let e=o("token");h(e,async()=>{D=String(new FormData(e).get("token")??""),e.reset(),
g=1;try{await H()}catch(t){throw D="",t}x("administer","Administrator")}),o("filter").addEventListener("change",
()=>F(1)),o("before").addEventListener("click",()=>F(g-1)),o("after").addEventListener("click",()=>F(g+1))}function N(){
return D===""?!1:(D="",k(o("requests"),new Map),!0)}function q(e,t){return T(e,\`/api/portal\${t}\`,{headers:{authorization:D}})}
function F(e){return g=e,w(H)}async function H(){let e=o("filter").value,t=new URLSearchParams({p:String(g),page_size:"\\
20",...e!==""&&{approved:e}}),n=await q("GET",\`/requests?\${t}\`),r=Math.max(1,n.Pages);if(n.Data.length===0&&g>
r)return g=r,H();let s=n.Data.map(i=>[i.id??"",oe(i)]);k(o("requests"),new Map(s)),o("page").textContent=\`Page\\
 \${g} of \${r}\`,o("before").disabled=g<=1,o("after").disabled=g>=r}function oe(e){let{id:t="",approved:n}=e,[r,
s]=[K(e),W(e)],i=\`\${r} by \${s}\`,a=[f("Details",i,()=>se(t)),...n===!0?[]:[f("Approve",i,()=>ae(t))],f("Delete",
i,()=>ie(t,r))];return[y(r),y(s),y(_(e.date_created)),y(R(e)),{inside:a}]}function K({id:e="",apply_policies:t=[],
...n}){let{catalogue_entry:r,for_plan:s="",for_api:i}=n;return String(r?.name??"")||t.join(", ")||s||i||e}function W({
portal_developer:e,by_user:t}){return String(e?.email??t)}async function se(e){let t=await q("GET",\`/requests/\${encodeURIComponent(
e)}\`),n=[["Asked for",K(t)],["Policies",(t.apply_policies??[]).join(", ")],["Developer",W(t)],["On",t.date_created??
""],["State",R(t)],["Redirects to",t.oauth_info?.redirect_uri??""],...Object.entries(t.fields??{})];E(o("field\\
s"),n.filter(([,r])=>r!=="")),await C(o("details"))}async function ae(e){let t=\`/requests/approve/\${encodeURIComponent(
e)}\`,n=await q("PUT",t);m("Approved."),L(n),await H()}async function ie(e,t){await $(\`Delete the request for \${t}\\
?\`,"",[["yes","Delete it"],["","Keep it"]])==="yes"&&(await q("DELETE",\`/requests/\${encodeURIComponent(e)}\`),await H(),
m("Deleted."))}function p(e,t,n){return T(e,\`own\${t}\`,n&&{body:JSON.stringify(n)})}async function U(e,t,n){let r=\`/apps/\${encodeURIComponent(e.id??"")}\`,{Data:s}=await p("GET",\`\${r}/webhooks?p=\\
-1\`),i=t.filter(({policy:u})=>e.products?.includes(u)),a=[...new Set(i.flatMap(u=>u.events))],c=f("Delete the \\
app",e.name,()=>G(r,\`Delete \${e.name} and its webhooks?\`,n)),l=d("article",d("h3",e.name),...s.map(u=>le(r,u,n)),
...a.length===0?[]:[ce(r,a,n)],c);return l.setAttribute("aria-label",\`App \${e.name}\`),l}async function G(e,t,n){
await $(t,"",[["yes","Delete"],["","Keep"]])==="yes"&&(await p("DELETE",e),await n())}function le(e,t,n){let{url:r,
events:s,description:i,disabled:a=!1,state:c}=t,l=\`\${e}/webhooks/\${encodeURIComponent(t.id??"")}\`,{waiting:u=0,
dead:b=0,last_failure:I=""}=c??{},A=d("dl");E(A,[["Sent to",r],["Events",s.join(", ")],["State",a?"switched of\\
f":"on"],["Waiting",String(u)],["Given up",String(b)],...I===""?[]:[["Last failure",I]]]);let O=f(a?"Switch on":
"Switch off",r,async()=>{await p("PUT",l,{url:r,events:s,description:i,disabled:!a}),await n()}),v=f("Send aga\\
in",r,async()=>{await p("POST",\`\${l}/replay\`),await n(),m("What was given up is sent again.")}),V=f("Delete",r,
()=>G(l,\`Delete the webhook to \${r}?\`,n));return d("div",A,d("p",O,...b>0?[v]:[],V))}function ce(e,t,n){let r=d(
"input");Object.assign(r,{name:"url",type:"url",required:!0});let s=t.map(a=>{let c=d("input");return Object.assign(
c,{type:"checkbox",name:"events",value:a}),d("label",c,\` \${a}\`)}),i=d("form",d("label","Send events to ",r),...s,
d("p",d("button","Add a webhook")));return h(i,async()=>{let a=new FormData(i).getAll("events");if(a.length===
0)throw new Error("Choose an event.");let{Meta:c}=await p("POST",\`\${e}/webhooks\`,{url:r.value,events:a});c!==null&&
L(c),await n()}),i}function B(){let e=o("login");h(e,async()=>{let{username:n,password:r}=z(e),s=JSON.stringify({username:n,password:r}),
{Message:i}=await T("POST","entrance/login",{body:s});e.reset(),await M(i)}),o("change").addEventListener("cli\\
ck",()=>w(()=>de(e)));let t=o("new-app");h(t,async()=>{let n=new FormData(t);await p("POST","/apps",{name:n.get(
"name"),products:n.getAll("product")}),t.reset(),await M()})}function J(){return w(async()=>{try{let{email:e}=await p(
"GET","/me");await M(e)}catch(e){if(!(e instanceof S&&e.status===401))throw e}})}function z(e){return Object.fromEntries(
[...new FormData(e)].map(([t,n])=>[t,String(n)]))}async function de(e){let t=z(e);if(t.new_password==="")throw new Error(
"Write the new password.");await P("POST","entrance/password",{body:JSON.stringify(t)});for(let n of e.querySelectorAll(
"input[type=password]"))n.value="";m("The password is changed. Log in with it.")}async function M(e=o("who").textContent){
let[{Data:t},{Data:n},{Data:r}]=await Promise.all([p("GET","/catalogue"),p("GET","/requests?p=-1"),p("GET","/a\\
pps?p=-1")]),s=t.map(l=>[JSON.stringify(l),pe(l)]);k(o("catalogue"),new Map(s));let i=n.map(l=>[l.id??"",me(l)]);
k(o("own"),new Map(i));let a=t.filter(l=>l.has_access),c=a.map(l=>new Option(Q(l),l.policy));o("new-app").querySelector(
"select")?.replaceChildren(...c),o("apps").replaceChildren(...await Promise.all(r.map(l=>U(l,a,M)))),x("develo\\
p",e)}function Q({name:e,policy:t}){return e||t}function pe(e){let t=Q(e),n=e.has_access?"You have access":f("\\
Ask for access",t,()=>ue(e));return[y(t),y(e.version),y(e.description),{inside:[n]}]}function me(e){let{id:t="",
apply_policies:n=[],approved:r}=e,s=e.name||n.join(", "),i=r===!0?[]:[f("Take back",s,()=>fe(t))];return[y(s),
y(_(e.date_created)),y(R(e)),{inside:i}]}async function ue({policy:e}){let{Meta:t}=await p("POST","/requests",
{policy:e});m(t===null?"Asked. Somebody has to approve it.":"You have access."),t!==null&&L(t),await M()}async function fe(e){
await p("DELETE",\`/requests/\${encodeURIComponent(e)}\`),await M(),m("Taken back.")}j();B();o("leave").addEventListener("click",()=>w(async()=>{N()||await P("DELETE","entrance/login"),x("enter",
"")}));J();})();
`;
