/** What jsdom lacks of a browser, and a clean page for each test. */
import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach } from "vitest";

configure({ asyncUtilTimeout: 20_000 });

class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

globalThis.ResizeObserver ??= NoObserver as unknown as typeof ResizeObserver;
HTMLElement.prototype.hidePopover ??= () => undefined;
HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
  this.open = true;
};
HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
  this.open = false;
};

beforeEach(() => {
  localStorage.clear();
  window.history.replaceState(null, "", "/");
});

afterEach(cleanup);
