import { Component, type ReactNode } from "react";
import { Note } from "../parts/notes";

/** Keeps the rest of the console when a part of it fails, and leads home. */
export class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    if (!this.state.error) return this.props.children;
    const action = (
      <button className="b tiny" onClick={() => window.location.reload()}>
        Load it again
      </button>
    );
    return (
      <div className="body">
        <Note tone="fail" icon="x" action={action}>
          <b>This page could not be shown.</b> Runs and questions are not affected. {this.state.error.message}{" "}
          <a href={document.baseURI}>Go to the start</a>
        </Note>
      </div>
    );
  }
}
