// The page that the panel's script fills. Everything it loads comes from the extension, nothing is inline, and the
// script runs by nonce only.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { panelPolicy } from './panel-policy.js';

/** Folders that the panel may load from. */
export function panelRoots(extensionUri: vscode.Uri): vscode.Uri[] {
  return [vscode.Uri.joinPath(extensionUri, 'dist', 'webview')];
}

export function panelHtml(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const file = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', 'webview', name)).toString();
  const nonce = randomBytes(16).toString('base64url');
  const policy = panelPolicy(webview.cspSource, nonce);
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file('codicon.css')}">
<link rel="stylesheet" href="${file('main.css')}">
<title>Teamroom</title>
</head>
<body>
<div id="teamroom-root"></div>
<script nonce="${nonce}" type="module" src="${file('main.js')}"></script>
</body>
</html>`;
}
