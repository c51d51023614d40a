import { installSystemPackages } from './system-packages.ts'

await installSystemPackages()
console.log('All system packages for the tests are installed.')
