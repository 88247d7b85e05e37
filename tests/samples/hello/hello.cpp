/* SPDX-License-Identifier: MIT */
/*
 * Hello in C++: what has to be given back is owned by objects, and a failed call is an exception
 * with the runtime's sentence. It prints the same as the one in C.
 */
#include <iostream>
#include <stdexcept>
#include <string>

#include <acl/acl.h>

static void check(aclError code, const char *call)
{
	if (code == ACL_SUCCESS)
		return;
	const char *text = aclGetRecentErrMsg();
	throw std::runtime_error(std::string(call) + " failed with " + std::to_string(code) + ": " +
				 (text ? text : "(no message)"));
}

class Device
{
      public:
	explicit Device(int32_t id) : id_(id)
	{
		check(aclInit(nullptr), "aclInit");
		check(aclrtSetDevice(id_), "aclrtSetDevice");
	}
	~Device()
	{
		aclrtResetDevice(id_);
		aclFinalize();
	}
	Device(const Device &) = delete;
	Device &operator=(const Device &) = delete;

      private:
	int32_t id_;
};

class Operators
{
      public:
	explicit Operators(const std::string &path)
	{
		check(aclrtBinaryLoadFromFile(path.c_str(), nullptr, &handle_), "loading the operators");
	}
	~Operators()
	{
		aclrtBinaryUnLoad(handle_);
	}
	Operators(const Operators &) = delete;
	Operators &operator=(const Operators &) = delete;

	aclrtFuncHandle function(const char *name) const
	{
		aclrtFuncHandle function = nullptr;
		check(aclrtBinaryGetFunction(handle_, name, &function), name);
		return function;
	}

      private:
	aclrtBinHandle handle_ = nullptr;
};

static void run(const std::string &directory)
{
	Device device(0);
	uint32_t devices = 0;
	check(aclrtGetDeviceCount(&devices), "aclrtGetDeviceCount");
	std::cout << "there is " << (devices ? "a" : "no") << " device" << std::endl;

	Operators operators(directory + "hello.o");
	uint64_t number = 42;
	check(aclrtLaunchKernelWithHostArgs(operators.function("hello"), 1, nullptr, nullptr, &number,
					    sizeof(number), nullptr, 0),
	      "launching hello");
	check(aclrtSynchronizeStream(nullptr), "aclrtSynchronizeStream");
}

int main(int, char **argv)
{
	const std::string self = argv[0];

	try {
		run(self.substr(0, self.rfind('/') + 1));
	} catch (const std::exception &e) {
		std::cerr << "hello: " << e.what() << std::endl;
		return 1;
	}
	std::cout << "done" << std::endl;
	return 0;
}
