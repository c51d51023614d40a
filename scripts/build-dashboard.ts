/** Builds the dashboard into its `dist` folder. */
import path from 'node:path'
import { makeWorkFolder, replaceFolder } from './built.mjs'
import { ROOT, run } from './run.ts'

const HOME = path.join(ROOT, 'packages', 'dashboard')

// Vitest sets `test`, which would select React's development build, which is 50% larger and prints
// warnings.
process.env.NODE_ENV = 'production'
const made = makeWorkFolder()
if (run('vite', ['build', '--logLevel=warn', `--outDir=${made}`, '--emptyOutDir', HOME]) !== 0)
  process.exit(1)
replaceFolder(path.join(HOME, 'dist'), made)
