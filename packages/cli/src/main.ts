/**
 * Entry point of the authors' command line. It prints the version without loading the commands, which takes several times
 * as long.
 */
import { describeVersion, readVersion } from './version.ts'

const [word = '', ...others] = process.argv.slice(2)
if (others.length === 0 && ['-V', '--version'].includes(word))
  process.stdout.write(`${describeVersion(readVersion())}\n`)
else await import('./process.ts')
