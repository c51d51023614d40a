/** Builds the pages of the dashboard into its `dist`. */
import path from 'node:path'
import { makeWorkFolder, replaceFolder } from './built.mjs'
import { ROOT, run } from './run.ts'

const HOME = path.join(ROOT, 'packages', 'dashboard')

// Vitest sets `test`, with which React is built for development: half as large again, and with its warnings.
process.env.NODE_ENV = 'production'
const made = makeWorkFolder()
if (run('vite', ['build', '--logLevel=warn', `--outDir=${made}`, '--emptyOutDir', HOME]) !== 0)
  process.exit(1)
replaceFolder(path.join(HOME, 'dist'), made)
