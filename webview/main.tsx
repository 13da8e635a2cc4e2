// The panel's entry: connects to the host and draws.
import { render } from 'preact';
import { App } from './app.js';
import { connect } from './host.js';
import { createPanel } from './store/panel.js';
import { Boundary } from './ui/boundary.js';
import './main.css';

const root = document.getElementById('teamroom-root');
if (root === null) throw new Error('The page has no element #teamroom-root to draw into.');
const panel = createPanel(connect());
render(
  <Boundary region="The panel" onReload={() => panel.act({ kind: 'shown' })}>
    <App panel={panel} />
  </Boundary>,
  root,
);
