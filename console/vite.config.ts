import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** `vite build` makes the console; `vite build --mode stories` the same screens over recorded data. */
export default defineConfig(({ mode }) => ({
  base: "./",
  plugins: [react()],
  build: {
    outDir: mode === "stories" ? "../build/console-stories" : "dist",
    emptyOutDir: true,
    sourcemap: false,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rollupOptions: { input: mode === "stories" ? "stories.html" : "index.html" },
  },
  test: {
    environment: "jsdom",
    setupFiles: ["src/testing/setup.ts"],
    css: false,
    testTimeout: 60_000,
    restoreMocks: true,
  },
}));
