import { type FormEvent, useId, useState } from "react";
import { Icon } from "../parts/icon";
import { Problem } from "../parts/notes";
import type { WeightsDocument } from "../wire";
import type { Choosing } from "./use-model";

/** The three ways to an answer: a key, weights on this machine, and a script. */
export function ModelChoices({ choosing }: { choosing: Choosing }) {
  const { model, isBusy, problem, isOfKey } = choosing;
  if (!model) return null;
  return (
    <div className="choices">
      <KeyChoice choosing={choosing} />
      {model.weights.map((each) => (
        <WeightsChoice key={each.name} weights={each} choosing={choosing} />
      ))}
      {model.hasRehearsal && (
        <section className="choice" aria-label="A guided rehearsal">
          <Icon name="script" />
          <div className="inline">
            <div className="grow">
              <h3>No model: a guided rehearsal</h3>
              <p>
                A script plays the model, and says so in each message. The calls, the questions and their effects are
                real.
              </p>
            </div>
            {model.source === "rehearsal" ? (
              <span className="chip">In use</span>
            ) : (
              <button className="b" disabled={isBusy} onClick={() => void choosing.choose({ name: "rehearsal" })}>
                Begin
              </button>
            )}
          </div>
        </section>
      )}
      {!isOfKey && <Problem text={problem} />}
    </div>
  );
}

function KeyChoice({ choosing }: { choosing: Choosing }) {
  const id = useId();
  const [name, setName] = useState("");
  const [key, setKey] = useState("");
  const [address, setAddress] = useState("");

  const problem = choosing.isOfKey ? choosing.problem : "";

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (await choosing.choose({ name: name.trim(), key: key.trim(), address: address.trim() })) setKey("");
  }

  return (
    <section className="choice" aria-label="A key you have">
      <Icon name="key" />
      <div>
        <h3>A key you have</h3>
        <p>Best answers. What you and the tools say goes to the provider.</p>
        <form onSubmit={(event) => void submit(event)}>
          <div className="keyrow">
            <label className="field">
              <span className="hide">Model</span>
              <input
                value={name}
                placeholder="openai:gpt-5-mini"
                spellCheck={false}
                autoCapitalize="none"
                onChange={(event) => setName(event.target.value)}
              />
            </label>
            <label className="field">
              <span className="hide">Key</span>
              <Icon name="lock" />
              <input
                type="password"
                aria-invalid={problem !== ""}
                aria-describedby={problem ? `${id}-problem` : undefined}
                value={key}
                placeholder="Key, or env:OPENAI_API_KEY"
                autoComplete="off"
                onChange={(event) => setKey(event.target.value)}
              />
            </label>
            <button className="b yes" disabled={choosing.isBusy || !name.trim()}>
              {choosing.isBusy ? "Testing" : "Test and use"}
            </button>
          </div>
          <Problem id={`${id}-problem`} text={problem} />
          <details>
            <summary className="exact">
              <Icon name="right" turns />
              Another endpoint
            </summary>
            <label htmlFor={id} className="meta">
              An address that speaks the OpenAI API, for a model openai:NAME
            </label>
            <span className="field">
              <input
                id={id}
                type="url"
                value={address}
                placeholder="https://openrouter.ai/api/v1"
                onChange={(event) => setAddress(event.target.value)}
              />
            </span>
          </details>
        </form>
        <p className="meta">
          The key stays in a private file of this server. The model is asked once before it is used.
        </p>
      </div>
    </section>
  );
}

function WeightsChoice({ weights, choosing }: { weights: WeightsDocument; choosing: Choosing }) {
  const { model, isBusy } = choosing;
  const isFetching = weights.state === "fetching";
  const isUsed = model?.name === `local:${weights.name}`;
  return (
    <section className="choice" aria-label={`Local weights ${weights.name}`}>
      <Icon name="load" />
      <div>
        <div className="inline">
          <div className="grow">
            <h3>A model on this machine: {weights.name}</h3>
            <p>{weights.description}</p>
          </div>
          {isUsed ? (
            <span className="chip">In use</span>
          ) : isFetching ? (
            <button className="b" disabled={isBusy} onClick={() => void choosing.stopFetching()}>
              Stop
            </button>
          ) : weights.state === "here" ? (
            <button
              className="b"
              disabled={isBusy}
              onClick={() => void choosing.choose({ name: `local:${weights.name}` })}
            >
              Use
            </button>
          ) : (
            <button className="b" disabled={isBusy} onClick={() => void choosing.fetchWeights(weights.name)}>
              {weights.done > 0 ? "Continue" : `Fetch ${gigabytes(weights.size)} GB`}
            </button>
          )}
        </div>
        {(isFetching || (weights.state !== "here" && weights.done > 0)) && (
          <div className="loading">
            <progress max={weights.size} value={weights.done} aria-label={`Weights ${weights.name}`} />
            <span className="meta num">
              {gigabytes(weights.done)} of {gigabytes(weights.size)} GB
            </span>
          </div>
        )}
        <Problem text={weights.problem} />
      </div>
    </section>
  );
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1);
}
