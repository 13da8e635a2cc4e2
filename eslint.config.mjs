// Lint rules. The layer table below is the house of docs/architecture.md: imports run one way, and this file is what
// makes a wrong one fail the build.
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const NODE = { group: ['node:*'], message: 'This layer is pure: it may not use Node.' };
const VSCODE = { group: ['vscode'], message: 'Only src/editor and src/extension.ts may import vscode.' };
const TOOLKIT = {
  group: ['@vscode/webview-ui-toolkit', '@vscode/webview-ui-toolkit/*'],
  message: 'Only webview/ui imports the component library.',
};

/** The layers, lowest first. A layer may import itself and what `sees` names, nothing else of the house. */
const LAYERS = {
  core: { files: 'src/core/**', sees: [] },
  protocol: { files: 'src/protocol/**', sees: ['core'] },
  storage: { files: 'src/storage/**', sees: ['core'] },
  runtime: { files: 'src/runtime/**', sees: ['core', 'storage'] },
  engines: { files: 'src/engines/**', sees: ['core', 'storage', 'runtime'] },
  workspace: { files: 'src/workspace/**', sees: ['core', 'storage', 'runtime'] },
  editor: { files: 'src/editor/**', sees: ['core', 'protocol', 'storage', 'runtime', 'engines', 'workspace'] },
  cli: { files: 'src/cli/**', sees: ['core', 'protocol', 'storage', 'runtime', 'engines', 'workspace'] },
};

const layerRules = Object.entries(LAYERS).map(([name, { files, sees }]) => {
  const forbidden = [...Object.keys(LAYERS), 'webview'].filter((other) => other !== name && !sees.includes(other));
  const patterns = [
    {
      regex: `^\\.{1,2}/(?:.*/)?(?:${forbidden.join('|')})/`,
      message: `src/${name} may import ${[name, ...sees].join(', ')} only (docs/architecture.md).`,
    },
    TOOLKIT,
  ];
  if (name !== 'editor') patterns.push(VSCODE);
  if (name === 'core' || name === 'protocol') patterns.push(NODE);
  return { files: [files], rules: { 'no-restricted-imports': ['error', { patterns }] } };
});

export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'out', 'examples/team-conversation.ts', '.vscode-test'] },
  js.configs.recommended,
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        setImmediate: 'readonly',
        fetch: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        performance: 'readonly',
        TextEncoder: 'readonly',
      },
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './tsconfig.webview.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'as' }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: 'error',
    },
  },
  ...layerRules,
  {
    files: ['src/core/**', 'src/protocol/**'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'setTimeout', 'setInterval', 'performance', 'crypto', 'fetch'],
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'The core has no clock.' },
        { selector: "MemberExpression[object.name='Date'][property.name='now']", message: 'The core has no clock.' },
        {
          selector: "MemberExpression[object.name='Math'][property.name='random']",
          message: 'The core is deterministic.',
        },
        { selector: 'AwaitExpression', message: 'The core has no promises.' },
        { selector: ':function[async=true]', message: 'The core has no promises.' },
        { selector: "Identifier[name='Promise']", message: 'The core has no promises.' },
      ],
    },
  },
  {
    files: ['webview/**'],
    ignores: ['webview/ui/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            VSCODE,
            NODE,
            TOOLKIT,
            {
              regex: '/src/(?:storage|runtime|engines|workspace|editor|cli)/',
              message: 'The webview sees protocol and pure core only.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'error',
      '@typescript-eslint/require-await': 'off',
    },
  },
);
