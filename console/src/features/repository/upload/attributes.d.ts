import "react";

declare module "react" {
  interface InputHTMLAttributes<T> {
    /** Selects a folder: supported by every browser, but not standardized. */
    webkitdirectory?: T extends HTMLInputElement ? "" : never;
  }
}
