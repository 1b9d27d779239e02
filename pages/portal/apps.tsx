// Apps of a developer, with their webhooks and the deliveries that were given up.

import type { App } from "../../runtime/portal/generated/app.ts";
import type { DeadDelivery } from "../../runtime/portal/generated/dead-delivery.ts";
import type { Webhook } from "../../runtime/portal/generated/webhook.ts";
import type { Offer } from "../../runtime/portal/page/own-records.ts";
import { Awaited, useAsked } from "../kit/asked.tsx";
import { confirmed, openDialog } from "../kit/dialogs.tsx";
import { ChecksField, Form, TextField } from "../kit/forms.tsx";
import { Act, Badge, Empty, Facts, Heading, Time } from "../kit/parts.tsx";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { showCredential } from "./credential.tsx";
import { offerName } from "./developer-views.tsx";
import { askOwn, type Listed, type Written } from "./interface.ts";

interface AppWithWebhooks {
  readonly app: App;
  readonly path: string;
  readonly webhooks: readonly Webhook[];
}

type Refresh = () => Promise<void>;

async function readApps(): Promise<{ apps: readonly AppWithWebhooks[]; products: readonly Offer[] }> {
  const [offers, { Data }] = await Promise.all([
    askOwn<Listed<Offer>>("GET", "/catalogue"),
    askOwn<Listed<App>>("GET", "/apps?p=-1"),
  ]);
  const apps = await Promise.all(
    Data.map(async (app) => {
      const path = `/apps/${encodeURIComponent(app.id ?? "")}`;
      const { Data: webhooks } = await askOwn<Listed<Webhook>>("GET", `${path}/webhooks?p=-1`);
      return { app, path, webhooks };
    }),
  );
  return { apps, products: offers.Data.filter((offer) => offer.has_access) };
}

/** All apps. */
export function AppsView() {
  const asked = useAsked(readApps);
  return (
    <>
      <Heading title="Apps and webhooks">
        An app subscribes to the events of the products that it is for; each event is sent to its webhooks.
      </Heading>
      <Awaited asked={asked} name="your apps">
        {({ apps, products }) => (
          <>
            {apps.length === 0 && (
              <div class="card">
                <Empty title="You have no apps yet.">
                  {products.length === 0
                    ? "Ask for access to an API of the catalogue first; then make an app for it here."
                    : "Make one below to have events sent to you."}
                </Empty>
              </div>
            )}
            {apps.map((each) => (
              <AppCard key={each.path} {...each} products={products} refresh={asked.refresh} />
            ))}
            {products.length > 0 && <NewApp products={products} refresh={asked.refresh} />}
          </>
        )}
      </Awaited>
    </>
  );
}

function NewApp({ products, refresh }: { readonly products: readonly Offer[]; readonly refresh: Refresh }) {
  return (
    <section class="card" aria-labelledby="new-app-title">
      <h2 id="new-app-title">New app</h2>
      <Form
        id="new-app"
        submit="Make an app"
        send={async ({ name = "" }, all) => {
          await askOwn("POST", "/apps", { name, products: all.getAll("products") });
          await refresh();
          say("The app is made.");
        }}
      >
        <TextField label="Name" name="name" isRequired />
        <ChecksField
          label="For these products"
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
  const offered = products.filter(({ policy }) => app.products?.includes(policy));
  const events = [...new Set(offered.flatMap((offer) => offer.events))];
  const remove = () =>
    confirmed(
      {
        title: `Delete ${app.name}?`,
        text: "Its webhooks and what they still have to deliver go with it.",
        yes: "Delete",
      },
      async () => {
        await askOwn("DELETE", path);
        await refresh();
      },
    );
  return (
    <article class="card stack" aria-label={`App ${app.name}`}>
      <div class="bar">
        <h2>{app.name}</h2>
        <Act text="Delete the app" about={app.name} look="small danger" work={remove} />
      </div>
      {webhooks.map((webhook) => (
        <WebhookPart key={webhook.id} app={path} webhook={webhook} refresh={refresh} />
      ))}
      {events.length === 0 ? (
        <p class="note">The products of this app offer no events.</p>
      ) : (
        <Form
          submit="Add a webhook"
          label={`New webhook of ${app.name}`}
          send={async ({ url }, all) => {
            const chosen = all.getAll("events");
            if (chosen.length === 0) throw new Error("Choose an event.");
            const { Meta } = await askOwn<Written>("POST", `${path}/webhooks`, { url, events: chosen });
            await refresh();
            if (Meta !== null) void showCredential(Meta);
          }}
        >
          <TextField label="Send events to" name="url" type="url" hint="https://" isRequired />
          <ChecksField label="Events" name="events" choices={events.map((event) => [event, event])} />
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
  const { url, events, description, disabled = false, state } = webhook;
  const path = `${app}/webhooks/${encodeURIComponent(webhook.id ?? "")}`;
  const { waiting = 0, dead = 0, last_failure: failure } = state ?? {};
  const setDisabled = async (isOff: boolean) => {
    await askOwn("PUT", path, { url, events, description, disabled: isOff });
    await refresh();
  };
  const turn = () =>
    disabled
      ? setDisabled(false)
      : confirmed(
          {
            title: `Switch off the webhook to ${url}?`,
            text: "New events are not sent there until it is switched on again. Those that wait stay.",
            yes: "Switch it off",
          },
          () => setDisabled(true),
        );
  const replay = async () => {
    await askOwn("POST", `${path}/replay`);
    await refresh();
    say("What was given up is sent again.");
  };
  const remove = () =>
    confirmed({ title: `Delete the webhook to ${url}?`, yes: "Delete" }, async () => {
      await askOwn("DELETE", path);
      await refresh();
    });
  return (
    <div class="stack tight">
      <div class="bar">
        <h3 class="mono">{url}</h3>
        <Badge tone={disabled ? "warn" : "good"}>{disabled ? "switched off" : "on"}</Badge>
      </div>
      <Facts
        entries={[
          ["Events", events.join(", ")],
          ["Waiting", waiting.toLocaleString()],
          ["Given up", dead.toLocaleString()],
          ["Last failure", failure],
        ]}
      />
      <div class="acts">
        <Act text={disabled ? "Switch on" : "Switch off"} about={url} look="small" work={turn} />
        {dead > 0 && <Act text="Send again" about={url} look="small" work={replay} />}
        {dead > 0 && <Act text="What was given up" about={url} look="small" work={() => showDead(path)} />}
        <Act text="Delete" about={url} look="small danger" work={remove} />
      </div>
    </div>
  );
}

/** The deliveries of a webhook that were given up. */
async function showDead(path: string): Promise<void> {
  const { Data } = await askOwn<Listed<DeadDelivery>>("GET", `${path}/dead_deliveries?p=-1`);
  await openDialog(
    "Deliveries that were given up",
    (close) => (
      <div class="stack">
        <Table
          id="dead"
          title="Deliveries"
          rows={Data}
          keyOf={({ id = "" }) => id}
          textOf={({ event = "", last_failure = "" }) => `${event} ${last_failure}`}
          columns={[
            { title: "Event", sort: ({ event = "" }) => event, cell: ({ event }) => event },
            {
              title: "Given up",
              sort: ({ date_given_up: at = "" }) => at,
              cell: ({ date_given_up: at = "" }) => <Time at={at} />,
            },
            { title: "Attempts", isNumber: true, cell: ({ attempts }) => attempts },
            { title: "Why", cell: ({ last_failure: why }) => why },
          ]}
          empty={<Empty title="Nothing was given up." />}
        />
        <div class="tools">
          <button type="button" onClick={() => close()}>
            Close
          </button>
        </div>
      </div>
    ),
    { isWide: true },
  );
}
