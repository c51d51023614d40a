/** Installs the system packages that the tests need, and nothing else. */
import { installSystemPackages } from './system-packages.ts'

await installSystemPackages()
console.log('every system package that the tests need is installed')
