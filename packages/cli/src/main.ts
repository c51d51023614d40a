/**
 * Entry point of the authors' command line. Prints the version without loading the commands, because loading
 * them would take several times as long.
 */
import { describeVersion, readVersion } from './version.ts'

const [word = '', ...others] = process.argv.slice(2)
if (others.length === 0 && ['-V', '--version'].includes(word))
  process.stdout.write(`${describeVersion(readVersion())}\n`)
else await import('./process.ts')
