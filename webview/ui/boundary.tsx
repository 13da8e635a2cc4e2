// A fault in one region leaves the others working.
import { Component, type ComponentChildren } from 'preact';
import { Button } from './button.js';

export interface BoundaryProps {
  /** What the region is called, e.g. "The transcript". */
  readonly region: string;
  readonly onReload: () => void;
  readonly children: ComponentChildren;
}

interface BoundaryState {
  readonly message: string | null;
}

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { message: null };

  static override getDerivedStateFromError(error: unknown): BoundaryState {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override componentDidCatch(error: unknown): void {
    console.error(`Teamroom: ${this.props.region} failed.`, error);
  }

  override render(): ComponentChildren {
    if (this.state.message === null) return this.props.children;
    return (
      <div class="broken" role="alert">
        <p>{this.props.region} could not be shown.</p>
        <p class="quiet">{this.state.message}</p>
        <Button
          label="Reload"
          icon="refresh"
          onClick={() => {
            this.setState({ message: null });
            this.props.onReload();
          }}
        />
      </div>
    );
  }
}
