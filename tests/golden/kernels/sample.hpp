#pragma once
// The manifest of this test needs a header to exist; nothing here is compiled.
