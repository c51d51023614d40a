/**
 * Builds the dashboard into `dist/`, from where the server serves it under `/dashboard/`. In development every other path
 * goes to the service.
 */
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const service = `http://127.0.0.1:${process.env.SCRIPTWARD_PORT ?? 8080}`

export default defineConfig({
  base: '/dashboard/',
  plugins: [react()],
  // Of its two builds luau-web picks the one with promise integration, in which pcall catches nothing.
  resolve: { alias: { './lib/Luau.Web.JSPI.js': './lib/Luau.Web.Asyncify.js' } },
  worker: { format: 'es' },
  build: { target: 'es2022', sourcemap: false, assetsInlineLimit: 0 },
  server: { proxy: { '^/(?!dashboard/)': service } },
})
