// The apps of a developer, with their webhooks and dead deliveries.

import type { ComponentChildren } from "preact";
import type { App } from "../../runtime/portal/generated/app.ts";
import type { DeadDelivery } from "../../runtime/portal/generated/dead-delivery.ts";
import type { Webhook } from "../../runtime/portal/generated/webhook.ts";
import type { Offer } from "../../runtime/portal/page/own-records.ts";
import { confirmed, openDialog } from "../kit/dialogs.tsx";
import { Awaited, useFetched } from "../kit/fetched.tsx";
import { ChecksField, Form, TextField } from "../kit/forms.tsx";
import { numberText, understood } from "../kit/messages.ts";
import { Act, Badge, Empty, Facts, Heading, Time } from "../kit/parts.tsx";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { issued, showCredential } from "./credential.tsx";
import { confirmDeletion, deleteShown } from "./deletion.ts";
import { offerName } from "./developer-views.tsx";
import type { Listed, Written } from "./interface.ts";
import { t } from "./messages.ts";
import { type Owner, ownerCrumbs, useOwner } from "./owner.tsx";

interface AppWithWebhooks {
  readonly app: App;
  readonly path: string;
  readonly webhooks: readonly Webhook[];
}

type Refresh = () => Promise<void>;

async function readApps({
  ask,
}: Owner): Promise<{ apps: readonly AppWithWebhooks[]; products: readonly Offer[] }> {
  const [offers, { Data }] = await Promise.all([
    ask<Listed<Offer>>("GET", "/catalogue"),
    ask<Listed<App>>("GET", "/apps?p=-1"),
  ]);
  const apps = await Promise.all(
    Data.map(async (app) => {
      const path = `/apps/${encodeURIComponent(app.id ?? "")}`;
      const { Data: webhooks } = await ask<Listed<Webhook>>("GET", `${path}/webhooks?p=-1`);
      return { app, path, webhooks };
    }),
  );
  return { apps, products: offers.Data.filter((offer) => offer.has_access) };
}

/** The view of all apps. */
export function AppsView() {
  const owner = useOwner();
  const fetched = useFetched(() => readApps(owner));
  return (
    <>
      <Heading title={t("nav.apps")} {...ownerCrumbs(owner)}>
        {t("apps.text")}
      </Heading>
      <Awaited fetched={fetched} name={t("nav.apps")}>
        {({ apps, products }) => (
          <>
            {apps.length === 0 && (
              <div class="card">
                <Empty title={t("apps.none")}>
                  {products.length === 0 ? t("apps.askFirst") : t("apps.makeOne")}
                </Empty>
              </div>
            )}
            {apps.map((each) => (
              <AppCard key={each.path} {...each} products={products} refresh={fetched.refresh} />
            ))}
            {products.length > 0 && <NewApp products={products} refresh={fetched.refresh} />}
          </>
        )}
      </Awaited>
    </>
  );
}

function NewApp({ products, refresh }: { readonly products: readonly Offer[]; readonly refresh: Refresh }) {
  const { ask } = useOwner();
  return (
    <section class="card" aria-labelledby="new-app-title">
      <h2 id="new-app-title">{t("apps.new")}</h2>
      <Form
        id="new-app"
        submit={t("apps.make")}
        send={async ({ name = "" }, all) => {
          await ask("POST", "/apps", { name, products: all.getAll("products") });
          await refresh();
          say(t("apps.made"));
        }}
      >
        <TextField label={t("word.name")} name="name" isRequired />
        <ChecksField
          label={t("apps.products")}
          name="products"
          choices={products.map((offer) => [offer.policy, offerName(offer)])}
        />
      </Form>
    </section>
  );
}

function AppCard(
  options: AppWithWebhooks & { readonly products: readonly Offer[]; readonly refresh: Refresh },
) {
  const { app, path, webhooks, products, refresh } = options;
  const { ask } = useOwner();
  const offered = products.filter(({ policy }) => app.products?.includes(policy));
  const events = [...new Set(offered.flatMap((offer) => offer.events))];
  const remove = () =>
    confirmDeletion(app.name, t("apps.deleteText"), () => deleteShown(ask, path, app), refresh);
  return (
    <article class="card stack" aria-label={t("apps.one", { name: app.name })}>
      <div class="bar">
        <h2>{app.name}</h2>
        <Act text={t("apps.delete")} about={app.name} look="small danger" work={remove} />
      </div>
      {webhooks.map((webhook) => (
        <WebhookPart key={webhook.id} app={path} webhook={webhook} refresh={refresh} />
      ))}
      {events.length === 0 ? (
        <p class="note">{t("apps.noEvents")}</p>
      ) : (
        <Form
          submit={t("webhooks.add")}
          label={t("webhooks.newOf", { name: app.name })}
          send={async ({ url }, all) => {
            const chosen = all.getAll("events");
            if (chosen.length === 0) throw new Error(t("webhooks.chooseEvent"));
            const { Meta } = await issued(ask<Written>("POST", `${path}/webhooks`, { url, events: chosen }));
            await refresh();
            if (Meta !== null) void showCredential(Meta, "");
          }}
        >
          <TextField label={t("webhooks.sendTo")} name="url" type="url" hint="https://" isRequired />
          <ChecksField
            label={t("word.events")}
            name="events"
            choices={events.map((event) => [event, event])}
          />
        </Form>
      )}
    </article>
  );
}

function WebhookPart(options: {
  readonly app: string;
  readonly webhook: Webhook;
  readonly refresh: Refresh;
}) {
  const { app, webhook, refresh } = options;
  const { ask } = useOwner();
  const { url, events, disabled = false, state } = webhook;
  const path = `${app}/webhooks/${encodeURIComponent(webhook.id ?? "")}`;
  const { waiting = 0, dead = 0, last_failure: failure } = state ?? {};
  const setDisabled = async (isOff: boolean) => {
    // The list may be old, and others may have changed other fields since.
    const newest = await ask<Webhook>("GET", path);
    const { url, events, description } = newest;
    await ask("PUT", path, { url, events, description, disabled: isOff }, newest);
    await refresh();
  };
  const turn = () =>
    disabled
      ? setDisabled(false)
      : confirmed(
          {
            title: t("webhooks.offTitle", { url }),
            text: t("webhooks.offText"),
            yes: t("webhooks.switchItOff"),
          },
          () => setDisabled(true),
        );
  const replay = async () => {
    await ask("POST", `${path}/replay`);
    await refresh();
    say(t("webhooks.resent"));
  };
  const remove = () =>
    confirmed(
      { title: t("webhooks.deleteTitle", { url }), yes: t("word.delete") },
      () => deleteShown(ask, path, webhook, ["state"]),
      refresh,
    );
  return (
    <div class="stack tight">
      <div class="bar">
        <h3 class="mono">{url}</h3>
        <Badge tone={disabled ? "warn" : "good"}>{t(disabled ? "webhooks.off" : "webhooks.on")}</Badge>
      </div>
      <Facts
        entries={[
          [t("word.events"), events.join(", ")],
          [t("word.waiting"), numberText(waiting)],
          [t("word.givenUp"), numberText(dead)],
          [t("word.lastFailure"), failure && understood(failure)],
        ]}
      />
      <div class="acts">
        <Act
          text={disabled ? t("webhooks.switchOn") : t("webhooks.switchOff")}
          about={url}
          look="small"
          work={turn}
        />
        <Act text={t("webhooks.log")} about={url} look="small" work={() => showAttempts(ask, path)} />
        {dead > 0 && <Act text={t("webhooks.sendAgain")} about={url} look="small" work={replay} />}
        {dead > 0 && (
          <Act text={t("webhooks.givenUp")} about={url} look="small" work={() => showDead(ask, path)} />
        )}
        <Act text={t("word.delete")} about={url} look="small danger" work={remove} />
      </div>
    </div>
  );
}

/** Shows the results of the latest attempts of a webhook. */
async function showAttempts(ask: Owner["ask"], path: string): Promise<void> {
  const { state: { recent_attempts: attempts = [] } = {} } = await ask<Webhook>("GET", path);
  await showList(
    t("webhooks.log"),
    <Table
      id="attempts"
      title={t("word.attempts")}
      rows={attempts}
      keyOf={({ date, delivery }) => `${date} ${delivery}`}
      textOf={({ event, failure, delivery }) => `${event} ${failure} ${delivery}`}
      columns={[
        { title: t("webhooks.when"), cell: ({ date }) => <Time at={date} isExact /> },
        { title: t("webhooks.event"), cell: ({ event }) => event },
        {
          title: t("webhooks.outcome"),
          cell: ({ status, failure }) =>
            failure === "" ? (
              <Badge tone="good">{t("webhooks.received", { status: status ?? 0 })}</Badge>
            ) : (
              understood(failure)
            ),
        },
        {
          title: t("webhooks.duration"),
          isNumber: true,
          cell: ({ duration }) => t("webhooks.milliseconds", { time: numberText(duration) }),
        },
        { title: t("webhooks.delivery"), cell: ({ delivery }) => <code>{delivery}</code> },
      ]}
      empty={<Empty title={t("webhooks.noAttempts")}>{t("webhooks.noAttemptsText")}</Empty>}
    />,
  );
}

/** Shows the deliveries of a webhook that were given up. */
async function showDead(ask: Owner["ask"], path: string): Promise<void> {
  const { Data } = await ask<Listed<DeadDelivery>>("GET", `${path}/dead_deliveries?p=-1`);
  await showList(
    t("webhooks.dead"),
    <Table
      id="dead"
      title={t("webhooks.deliveries")}
      rows={Data}
      keyOf={({ id = "" }) => id}
      textOf={({ event = "", last_failure = "" }) => `${event} ${last_failure}`}
      columns={[
        { title: t("webhooks.event"), sort: ({ event = "" }) => event, cell: ({ event }) => event },
        {
          title: t("word.givenUp"),
          sort: ({ date_given_up: at = "" }) => at,
          cell: ({ date_given_up: at = "" }) => <Time at={at} />,
        },
        { title: t("word.attempts"), isNumber: true, cell: ({ attempts }) => attempts },
        { title: t("webhooks.why"), cell: ({ last_failure: why = "" }) => understood(why) },
      ]}
      empty={<Empty title={t("webhooks.nothing")} />}
    />,
  );
}

function showList(title: string, list: ComponentChildren): Promise<unknown> {
  return openDialog(
    title,
    (close) => (
      <div class="stack">
        {list}
        <div class="tools">
          <button type="button" onClick={() => close()}>
            {t("word.close")}
          </button>
        </div>
      </div>
    ),
    { isWide: true },
  );
}
