/**
 * Builds the dashboard into its `dist` folder. With the `playground` argument, builds the playground into
 * `playground/dist`.
 */
import path from 'node:path'
import { makeWorkFolder, replaceFolder } from './built.mjs'
import { ROOT, run } from './run.ts'

const HOME = path.join(ROOT, 'packages', 'dashboard')
const isPlayground = process.argv[2] === 'playground'

// Vitest sets this to `test`. That would select React's development build, which is 50% larger and prints
// warnings.
process.env.NODE_ENV = 'production'
const made = makeWorkFolder()
const root = isPlayground ? path.join(HOME, 'playground') : HOME
const options = [
  `--config=${path.join(HOME, 'vite.config.ts')}`,
  `--mode=${isPlayground ? 'playground' : 'production'}`,
  '--logLevel=warn',
  `--outDir=${made}`,
  '--emptyOutDir',
]
if (run('vite', ['build', ...options, root]) !== 0) process.exit(1)
replaceFolder(path.join(root, 'dist'), made)
