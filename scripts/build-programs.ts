/**
 * Bundles the programs into `.tsbuild/programs`, for tests that start them as processes. As in the published
 * package, `bin/scriptward` starts them.
 */
import { cpSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { makeWorkFolder, replaceFolder } from './built.mjs'
import { bundlePrograms } from './bundle.ts'
import { ROOT } from './run.ts'

const TARGET = path.join(ROOT, '.tsbuild', 'programs')

const made = makeWorkFolder()
await bundlePrograms(path.join(made, 'dist'), '../../../packages')
cpSync(path.join(ROOT, 'packages', 'scriptward', 'bin'), path.join(made, 'bin'), { recursive: true })
symlinkSync('scriptward.mjs', path.join(made, 'bin', 'scriptward'))
replaceFolder(TARGET, made)
